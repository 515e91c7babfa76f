package schedule

import "time"

// Cost is what scans of one kind take, and when the next one is due. They take a thirtieth of the time at most, once what they
// take is believed.
type Cost struct {
	Next  time.Time     // when the next one is due, by this process's monotonic clock
	Taken time.Duration // by the last one, as far as it is believed
}

// Due reports whether the next scan is due.
func (c Cost) Due(now time.Time) bool { return !now.Before(c.Next) }

// Took notes how long a scan was.
func (c *Cost) Took(began, ended time.Time) {
	taken := ended.Sub(began)
	if c.Taken > 0 {
		taken = min(taken, max(scanGrowth*c.Taken, doubtful))
	}
	c.Taken = taken
	c.Next = ended.Add(fullShare * taken)
}
