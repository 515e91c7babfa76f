// Package retention is the rule that evidence of deduplication outlives the longest replay. Whoever removes evidence (workers
// of steps, relays of commands, inboxes of what they took, purgers of provider calls) is refused at its start by [Check],
// with [ErrTooShort], where its retention breaks it.
package retention
