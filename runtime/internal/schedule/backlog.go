package schedule

import "time"

// Backlog says since when more steps wait in a queue than there are places for; zero: they do not.
type Backlog struct{ Since time.Time }

// Note returns the backlog after a claim of whatever waits: full, it has found as much as it asked for.
func (b Backlog) Note(full bool, now time.Time) Backlog {
	switch {
	case !full:
		return Backlog{}
	case b.Since.IsZero():
		return Backlog{now}
	}
	return b
}

// There reports whether the last such claim found as much as it asked for.
func (b Backlog) There() bool { return !b.Since.IsZero() }

// ComesFirst reports whether what can be done later should give way to the backlog: not to one of a moment, and not for ever
// to one that stays.
func (b Backlog) ComesFirst(now time.Time) bool {
	lasted := now.Sub(b.Since)
	return b.There() && lasted >= Burst && lasted < mostYield
}

// Worthwhile returns how many of a queue's places a claim waits for while there is a backlog.
func Worthwhile(concurrency int) int { return concurrency / worthwhileShare }

// Patience returns how long a claim waits for more places than are free, so that it is worth its cost: as a rule places become
// free in numbers, when a group has committed.
func Patience(b Backlog, free, worthwhile int) time.Duration {
	if !b.There() || free >= worthwhile {
		return 0
	}
	return claimPatience
}
