package retention

import (
	"errors"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	kept := func(times ...time.Duration) (all []Time) {
		for i, keep := range times {
			all = append(all, Time{Name: []string{"Completed", "Discarded", "Archived"}[i], Keep: keep})
		}
		return all
	}
	const unset = " and ReplayWindow is not set; set it to the longest time after which the same may come again"
	for _, c := range []struct {
		name   string
		window time.Duration
		kept   []Time
		want   string // after "idem: "
		short  bool
	}{
		{"nothing", 0, nil, "", false},
		{"for ever", 0, kept(0, 0), "", false},
		{"for ever, with a window", day, kept(0, 0), "", false},
		{"longer", day, kept(2*day, 3*day), "", false},
		{"as long", day, kept(day), "", false},
		{"shorter", day, kept(day - 1), "retention is shorter than the replay window: Completed is 23h59m59.999999999s, ReplayWindow 24h0m0s; raise Completed", true},
		{"the second is shorter", day, kept(day, time.Hour), "retention is shorter than the replay window: Discarded is 1h0m0s, ReplayWindow 24h0m0s; raise Discarded", true},
		{"no window", 0, kept(0, day), "retention is shorter than the replay window: Discarded is 24h0m0s" + unset, true},
		{"a negative time", day, kept(-1), "Completed is negative (-1ns); zero keeps for ever", false},
		{"a negative window", -day, kept(-1), "Retention.ReplayWindow is negative (-24h0m0s)", false},
		{"a negative window, and nothing", -1, nil, "Retention.ReplayWindow is negative (-1ns)", false},
		{"the first of three", day, kept(time.Hour, -1, time.Minute), "retention is shorter than the replay window: Completed is 1h0m0s, ReplayWindow 24h0m0s; raise Completed", true},
		{"the first of three, negative", day, kept(-1, time.Hour, time.Minute), "Completed is negative (-1ns); zero keeps for ever", false},
	} {
		err := Check(c.window, c.kept...)
		switch {
		case (err == nil) != (c.want == ""), err != nil && err.Error() != "idem: "+c.want:
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		case errors.Is(err, ErrTooShort) != c.short:
			t.Errorf("%s: %v is of a retention that is too short: %v", c.name, err, !c.short)
		}
	}
}
