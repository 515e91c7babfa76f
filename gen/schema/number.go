package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// firstNumber is what the first migration of an empty folder is called by.
const firstNumber = "00001"

// numbered is a migration of whatever tool: digits, perhaps behind a V, then an underscore.
var numbered = regexp.MustCompile(`^V?(\d+)_.*\.(sql|go)$`)

// NextNumber is one more than the highest number in the folder, written as wide as that one. A timestamp
// counts as the number that it is: the clock is never asked, so that the same folder gives the same name.
func NextNumber(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return firstNumber, nil
	}
	if err != nil {
		return "", err
	}
	highest, width := int64(0), len(firstNumber)
	for _, entry := range entries {
		match := numbered.FindStringSubmatch(entry.Name())
		if match == nil || entry.IsDir() || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		n, err := strconv.ParseInt(match[1], 10, 64)
		if err != nil {
			return "", fmt.Errorf("the number of %s is too large to be followed by another", filepath.Join(dir, entry.Name()))
		}
		if n >= highest {
			highest, width = n, len(match[1])
		}
	}
	return fmt.Sprintf("%0*d", width, highest+1), nil
}
