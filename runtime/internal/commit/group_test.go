package commit

import (
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/step"
)

// Another committer is called for a full group.
func TestFullGroupsCallForAnotherCommitter(t *testing.T) {
	t.Parallel()
	c := New(&lease.Keeper{}, 10, Limits{Committers: 2, Steps: 3, Bytes: 1 << 20})
	for n := 1; n <= 3; n++ {
		c.Hand(&lease.Held{})
		if called := len(c.crowd) == 1; called != (n == 3) {
			t.Errorf("%d finished: called %v", n, called)
		}
	}
}

// A committer that was called goes on for as long as there are full groups, however often it was called.
func TestCalledCommitterGoesOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 6
	c := New(b.keeper, n, Limits{Committers: 2, Steps: 1, Bytes: 1 << 20})
	for _, s := range b.held(&step.Handler{Node: "charge", Queue: "default"}, n) {
		c.Hand(s)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.commitGroups() // somebody else has the lead
	}()
	all := make(chan struct{})
	go func() {
		defer close(all)
		b.keeper.Wait()
	}()
	select {
	case <-all:
	case <-time.After(time.Minute):
		t.Errorf("it stopped with %d steps of %d completed", b.completed(), n)
	}
	close(c.ready)
	c.passLead()
	<-done
	if got := b.completed(); got != n {
		t.Fatalf("%d steps are completed, want %d", got, n)
	}
	groups := 0
	for range 2 * n { // an event of each group, and of each step
		if e := <-b.events; e.Kind == lifecycle.EventGroup && e.Count == 1 {
			groups++
		}
	}
	if groups != n {
		t.Errorf("it committed %d groups of a step, want %d", groups, n)
	}
}
