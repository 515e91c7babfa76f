package outbox

import "time"

// breaker keeps a destination that fails from being sent to. The times are this process's own: they are about
// politeness, and decide nothing about a command's state.
type breaker struct {
	failures  int           // in a row
	openFor   time.Duration // how long it was opened the last time; 0: it is closed
	openUntil time.Time
}

// open reports whether nothing may be sent at the moment.
func (b *breaker) open(now time.Time) bool { return now.Before(b.openUntil) }

// probing reports whether it is to be found out if the destination works again, with one command at a time.
func (b *breaker) probing() bool { return b.openFor > 0 }

// note takes the outcome of a send into account. It returns how long the destination is now to be left alone, when
// this outcome is why.
func (b *breaker) note(o Outcome, cfg *Config, now time.Time) (pause time.Duration) {
	switch o.kind {
	case kindUnknown:
		if b.failures++; b.failures < cfg.BreakAfter || b.open(now) {
			return 0
		}
		b.openFor = min(max(2*b.openFor, cfg.BreakFor), 20*cfg.BreakFor)
		pause = b.openFor
	case kindRetryAfter:
		pause = min(o.after, cfg.MaxRetryAfter)
		if until := now.Add(pause); pause <= 0 || !until.After(b.openUntil) {
			return 0
		}
		b.openFor = max(b.openFor, time.Nanosecond)
	default:
		*b = breaker{openUntil: b.openUntil} // what others asked for stands
		return 0
	}
	b.openUntil = now.Add(pause)
	return pause
}
