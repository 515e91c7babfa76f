package value

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The ids of a process ascend, whatever its clock does, and name the time.
func TestRunIDsAscend(t *testing.T) {
	t.Parallel()
	var r runIDs
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	last := ""
	for _, now := range []time.Time{at, at, at.Add(time.Millisecond), at.Add(-time.Hour), at, at.Add(2 * time.Millisecond), at.Add(time.Hour)} {
		for range 1000 {
			id := r.next(now)
			if id <= last {
				t.Fatalf("%s after %s", id, last)
			}
			last = id
		}
	}
	if other := new(runIDs).next(at.Add(time.Hour)); other[:13] != last[:13] || other == last {
		t.Errorf("%s and %s: two processes should agree about the time and about nothing else", last, other)
	}
	full := runIDs{millis: uint64(at.UnixMilli()), high: 1<<15 - 1, low: 1<<64 - 1}
	if a, b := full.next(at), full.next(at.Add(-time.Second)); b <= a || !strings.HasPrefix(b, last[:4]) || a[:12] != new(runIDs).next(at)[:12] {
		t.Errorf("%s and %s: a carry should stay within the random bits", a, b)
	}
}

func TestRunIDsOfManyGoroutines(t *testing.T) {
	t.Parallel()
	const goroutines, each = 8, 2000
	ids := make([][]string, goroutines)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			for range each {
				ids[i] = append(ids[i], NewRunID())
			}
		})
	}
	all.Wait()
	joined := slices.Concat(ids...)
	if slices.Sort(joined); len(slices.Compact(joined)) != goroutines*each {
		t.Error("an id was given twice")
	}
}
