package runtime

import (
	"sync/atomic"
	"time"
)

// backlog tells whether more steps wait in a queue than there are places for, and for how long there have been.
type backlog struct {
	began atomic.Pointer[time.Time] // nil: there is none
}

// note notes whether a claim of whatever waits has found as much as it asked for.
func (b *backlog) note(found bool, now time.Time) {
	switch {
	case !found:
		b.began.Store(nil)
	case b.began.Load() == nil:
		b.began.Store(&now)
	}
}

// there tells whether the last such claim found as much as it asked for.
func (b *backlog) there() bool { return b.began.Load() != nil }

// A backlog that is over within a burst is none. For one that stays, what can be done later gives way for mostYield at most.
const (
	burst     = 250 * time.Millisecond
	mostYield = 5 * time.Minute
)

// comesFirst tells whether what can be done later should give way to the backlog: not to one of a moment, as each burst of
// steps is for a worker with time to spare, and not for ever to one that stays.
func (b *backlog) comesFirst(now time.Time) bool {
	began := b.began.Load()
	if began == nil {
		return false
	}
	lasted := now.Sub(*began)
	return lasted >= burst && lasted < mostYield
}
