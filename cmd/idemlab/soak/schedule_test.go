package soak

import (
	"slices"
	"testing"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
)

func TestScheduleFollowsFromTheSeed(t *testing.T) {
	t.Parallel()
	a, b := schedule(7, 10*time.Minute, 3), schedule(7, 10*time.Minute, 3)
	if !slices.Equal(a, b) {
		t.Error("one seed gives two schedules")
	}
	if slices.Equal(a, schedule(8, 10*time.Minute, 3)) {
		t.Error("two seeds give one schedule")
	}
	if longer := schedule(7, 20*time.Minute, 3); !slices.Equal(a, longer[:len(a)]) {
		t.Error("a longer soak does not begin like the shorter one")
	}
}

func TestScheduleHasItsShape(t *testing.T) {
	t.Parallel()
	const workers = 3
	faults := schedule(1, 5*time.Hour, workers)
	if n := len(schedule(1, 10*time.Minute, workers)); n < 315 {
		t.Errorf("%d faults in 10 minutes; with those that miss it should be over 300", n)
	}
	if first := fault.Planned(faults[:len(mix)]); len(first) != len(mix) {
		t.Errorf("it begins with %v, which is not one of each kind", first)
	}
	counts := fault.Planned(faults)
	for _, m := range mix {
		share := 100 * float64(counts[m.Kind]) / float64(len(faults))
		if want := float64(m.Of); share < 0.85*want || share > 1.15*want {
			t.Errorf("%.1f %% of the faults are of the kind %s, want %d %%", share, m.Kind, m.Of)
		}
	}
	last := int64(0)
	for _, f := range faults {
		if gap := time.Duration(f.At-last) * time.Millisecond; gap < gapMin-time.Millisecond || gap > gapMax {
			t.Errorf("%v comes %v after the one before", f, gap)
		}
		last = f.At
		if limit := workers; f.Victim < 0 || f.Victim > limit || f.Victim == limit && f.Kind != FaultCut && f.Kind != FaultTerminate {
			t.Errorf("%v hits nobody", f)
		}
		if f.Kind == FaultStop && f.Lasts() <= lease {
			t.Errorf("%v does not outlast a lease", f)
		}
		if (f.Way != "") != (f.Kind == FaultCut) || f.Kind == FaultCut && (f.Lasts() < 200*time.Millisecond || f.Lasts() > 5*time.Second) {
			t.Errorf("%v", f)
		}
	}
}
