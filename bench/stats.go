package main

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// median is NaN of nothing.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// percentile returns the time within which the share p of all times lies.
func percentile(times []time.Duration, p float64) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

// latencies make a sample of times.
func (s *Sample) latencies(times []time.Duration) {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	s.Value, s.Unit, s.P99 = ms(percentile(times, 0.5)), milliseconds, ms(percentile(times, 0.99))
}

// figure writes a number for people, with three digits that count.
func figure(v float64) string {
	switch magnitude := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case magnitude >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case magnitude >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}
