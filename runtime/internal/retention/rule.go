package retention

import (
	"errors"
	"fmt"
	"time"
)

// ErrTooShort says that evidence would be removed while a replay can still come, which would then be done again.
var ErrTooShort = errors.New("idem: retention is shorter than the replay window")

// Time is how long one kind of evidence is kept.
type Time struct {
	Name string // of the field that says so: "Retention.Completed"
	Keep time.Duration
}

// Check refuses negative times, and evidence that is kept for a shorter time than the replay window, the longest time after
// which the same may come again. A time of zero is for ever. The first of the times that is wrong is told.
func Check(window time.Duration, kept ...Time) error {
	if window < 0 {
		return fmt.Errorf("idem: Retention.ReplayWindow is negative (%v)", window)
	}
	for _, t := range kept {
		switch {
		case t.Keep < 0:
			return fmt.Errorf("idem: %s is negative (%v); zero keeps for ever", t.Name, t.Keep)
		case t.Keep == 0:
		case window == 0:
			return fmt.Errorf("%w: %s is %v and ReplayWindow is not set; set it to the longest time after which the same may come again", ErrTooShort, t.Name, t.Keep)
		case t.Keep < window:
			return fmt.Errorf("%w: %s is %v, ReplayWindow %v; raise %[2]s", ErrTooShort, t.Name, t.Keep, window)
		}
	}
	return nil
}
