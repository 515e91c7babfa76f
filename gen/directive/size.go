package directive

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/idem-go/idem/gen/diag"
)

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

// ParseSize reads a number of bytes over zero: 4096, 512B, 64KiB, 1MiB, 2GiB.
func ParseSize(text string) (int64, error) {
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%q is not a size in bytes", text)
		case n == 0:
			return 0, fmt.Errorf("the size %s is not over zero", text)
		case int64(n) > math.MaxInt64/unit.bytes:
			return 0, fmt.Errorf("the size %s is too large", text)
		}
		return int64(n) * unit.bytes, nil
	}
	panic("unreachable: the last unit is empty")
}

// FormatSize writes a number of bytes with the largest unit that divides it: 65536 is 64KiB.
func FormatSize(n int64) string {
	for _, unit := range sizeUnits[:3] {
		if n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

func parseSize(text string) (any, *mistake) {
	n, err := ParseSize(text)
	if err == nil {
		return n, nil
	}
	return nil, &mistake{err.Error(), sizeFix(text)}
}

// sizeFix knows the units that people write for the ones that are meant.
func sizeFix(text string) string {
	digits := strings.TrimRight(strings.ToUpper(text), "KMGIB")
	if unit := strings.ToUpper(text[len(digits):]); unit != "" && strings.Contains("KMG", unit[:1]) {
		better := digits + unit[:1] + "iB"
		if _, err := ParseSize(better); err == nil {
			return diag.DidYouMean(better)
		}
	}
	return "write bytes such as 4096, 64KiB or 1MiB"
}
