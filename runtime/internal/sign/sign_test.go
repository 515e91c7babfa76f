package sign

import (
	"math"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []Setting
		want     string
	}{
		{"nothing", nil, ""},
		{"zero is the default", []Setting{Int("Batch", 0), Duration("Poll", 0)}, ""},
		{"positive", []Setting{Int("Batch", math.MaxInt), Duration("Poll", math.MaxInt64)}, ""},
		{"a number", []Setting{Int("Batch", -1)}, "idem: Config.Batch is negative (-1); leave it zero for its default"},
		{"a time", []Setting{Duration("Poll", -time.Second)}, "idem: Config.Poll is negative (-1s); leave it zero for its default"},
		{"the least", []Setting{Duration("Poll", -1)}, "idem: Config.Poll is negative (-1ns); leave it zero for its default"},
		{"the first of several", []Setting{Int("A", 1), Int("B", -2), Duration("C", -3), Int("A", -4)}, "idem: Config.B is negative (-2); leave it zero for its default"},
		{"the same in another order", []Setting{Duration("C", -3), Int("B", -2)}, "idem: Config.C is negative (-3ns); leave it zero for its default"},
	} {
		switch err := Check("Config", c.settings...); {
		case err == nil && c.want != "":
			t.Errorf("%s: nothing is refused, want %s", c.name, c.want)
		case err != nil && err.Error() != c.want:
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
