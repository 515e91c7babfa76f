package emit

import (
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"
)

// Text writes a string as a raw literal where that shows it unchanged, else as a quoted one.
func Text(s string) jen.Code {
	for line := range strings.SplitSeq(s, "\n") {
		if !strconv.CanBackquote(line) {
			return jen.Op(strconv.Quote(s))
		}
	}
	return jen.Op("`" + s + "`")
}

// Duration writes a time in the largest unit that gives a whole number.
func Duration(d time.Duration) jen.Code {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{
		{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"},
		{time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"},
	} {
		if d%unit.size == 0 {
			return times(int64(d/unit.size), unit.name)
		}
	}
	return times(int64(d), "Nanosecond")
}

func times(n int64, unit string) jen.Code {
	if n == 1 {
		return jen.Qual("time", unit)
	}
	return jen.Op(strconv.FormatInt(n, 10)).Op("*").Qual("time", unit)
}
