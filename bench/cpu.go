package main

import "time"

func (m machineTime) since(before machineTime) machineTime {
	return machineTime{m.total - before.total, m.idle - before.idle}
}

// share is which part of the machine's time d is.
func (m machineTime) share(d time.Duration) float64 {
	if m.total <= 0 {
		return 0
	}
	return float64(d) / float64(m.total)
}

func (m machineTime) busyShare() float64 { return m.share(m.total - m.idle) }
