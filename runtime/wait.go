package runtime

import (
	"context"
	"errors"
	"time"
)

// Wait hands the step back and lets it run again after d: nothing has failed, something is not known yet. Its attempt
// and its reclaims stay as they are, however often it waits, and its reason is [ReasonWaiting] meanwhile. What this
// execution wrote is rolled back. [Client.Wake] lets it run earlier. d is clamped to between a millisecond and 30 days.
func Wait(d time.Duration, err error) error {
	if err == nil {
		err = errors.New("idem: the handler waits for something that is not known yet")
	}
	return &waitError{err: err, delay: min(max(d, time.Millisecond), maxRetryAfter)}
}

type waitError struct {
	err   error
	delay time.Duration
}

func (e *waitError) Error() string { return e.err.Error() }
func (e *waitError) Unwrap() error { return e.err }

// waiting is the verdict that [Wait] asks for.
func (e *waitError) waiting(err error) verdict {
	v := released(ReasonWaiting, err)
	v.delay = e.delay
	return v
}

// Wake lets pending steps of a run run now instead of later: after a [Wait], a backoff or a delay. node "" means all of
// them. It gives the number of steps.
func (c *Client) Wake(ctx context.Context, runID, node string) (int, error) {
	return c.makeDue(ctx, c.sql.wake, runID, node)
}
