package runtime

import "time"

// Limits are what a definition says about its runs, with the defaults filled in.
type Limits struct {
	Queue       string
	Timeout     time.Duration // of one attempt
	Backoff     time.Duration // before the second attempt
	MaxAttempts int
	MaxReclaims *int  // nil: unbounded
	MaxInput    int64 // bytes
	MaxOutput   int64 // bytes
}

// Limits returns the action's limits.
func (a *Action[In]) Limits() Limits { return a.def.limits() }

// Limits returns the step's limits.
func (s *Step[In, Out]) Limits() Limits { return s.def.limits() }

func (d *definition) limits() Limits {
	l := Limits{
		Queue: d.queue, Timeout: d.timeout, Backoff: d.backoff, MaxAttempts: d.maxAttempts,
		MaxInput: d.maxInput, MaxOutput: d.maxOutput,
	}
	if d.maxReclaims != nil {
		l.MaxReclaims = new(*d.maxReclaims) // the caller's own
	}
	return l
}
