package schedule

import (
	"testing"
	"time"
)

func TestBacklogNotes(t *testing.T) {
	t.Parallel()
	since := Backlog{start}
	for _, c := range []struct {
		name   string
		before Backlog
		full   bool
		want   Backlog
	}{
		{"there is none", Backlog{}, false, Backlog{}},
		{"it begins", Backlog{}, true, Backlog{in(time.Second)}},
		{"it goes on", since, true, since},
		{"it is over", since, false, Backlog{}},
	} {
		got := c.before.Note(c.full, in(time.Second))
		if got != c.want || got.There() != c.full {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A backlog comes first from its first Burst on, until it has lasted for as long as others give way.
func TestBacklogComesFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lasted time.Duration
		first  bool
	}{
		{-time.Second, false}, {0, false}, {Burst - 1, false}, {Burst, true},
		{mostYield - 1, true}, {mostYield, false}, {2 * mostYield, false},
	} {
		if got := (Backlog{start}).ComesFirst(in(c.lasted)); got != c.first {
			t.Errorf("a backlog for %v comes first: %v, want %v", c.lasted, got, c.first)
		}
	}
	if (Backlog{}).ComesFirst((time.Time{}).Add(time.Minute)) {
		t.Error("no backlog comes first")
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                     string
		backlog                  Backlog
		free, concurrency, waits int
	}{
		{"no backlog", Backlog{}, 1, 80, 0},
		{"a place", Backlog{start}, 1, 80, 1},
		{"nearly an eighth", Backlog{start}, 9, 80, 1},
		{"an eighth", Backlog{start}, 10, 80, 0},
		{"more", Backlog{start}, 80, 80, 0},
		{"few places", Backlog{start}, 1, 15, 0},
		{"fewer than a share", Backlog{start}, 1, 7, 0},
		{"none", Backlog{start}, 0, 0, 0},
	} {
		want := time.Duration(c.waits) * claimPatience
		if got := Patience(c.backlog, c.free, Worthwhile(c.concurrency)); got != want {
			t.Errorf("%s: waits for %v, want %v", c.name, got, want)
		}
	}
}
