// Package maintenance is what every worker does for all of them, without a leader: it takes steps back whose worker does not
// renew their lease, and removes steps that ended long ago. When it looks at what is decided by package schedule.
package maintenance
