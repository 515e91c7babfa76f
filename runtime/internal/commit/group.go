package commit

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/step"
)

// Limits bound what is committed together.
type Limits struct {
	Committers int // how many groups at the same time
	Steps      int // of a group
	Bytes      int // of a group, about
}

// Committer completes the steps of a [lease.Keeper].
type Committer struct {
	*lease.Keeper
	limits Limits

	arrays bool // rows may be written as arrays

	ready chan *lease.Held // finished handlers on their way into a group
	lead  chan struct{}    // to the committer that takes whatever is there
	crowd chan struct{}    // there is enough for another one

	committers sync.WaitGroup
}

// New makes a committer for a worker that holds up to capacity steps.
func New(k *lease.Keeper, capacity int, limits Limits) *Committer {
	return &Committer{
		Keeper: k, limits: limits,
		ready: make(chan *lease.Held, capacity), lead: make(chan struct{}, 1), crowd: make(chan struct{}, 1),
	}
}

// Start begins to commit what is handed over. The keeper's pools are open by then. The modes of pgx that know nothing of the
// server's types cannot encode arrays of rows.
func (c *Committer) Start() {
	switch c.Control.Config().ConnConfig.DefaultQueryExecMode {
	case pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol:
	default:
		c.arrays = true
	}
	c.passLead()
	for range c.limits.Committers {
		c.committers.Go(c.commitGroups)
	}
}

// Stop commits what was handed over, and returns when that is done. Nothing may be handed over any more.
func (c *Committer) Stop() {
	close(c.ready)
	c.committers.Wait()
}

// Hand returns a step whose handler has finished to the committers.
func (c *Committer) Hand(s *lease.Held) {
	c.ready <- s
	if c.crowded() {
		pace.Signal(c.crowd)
	}
}

// commitGroups commits what handlers have finished, together as much as is waiting at the moment. There is
// no timer: an idle system commits each step at once, a busy one finds the next group ready when a commit
// returns. Of several committers one takes whatever is there, and the others full groups only: two small
// groups at the same time cost more than a larger one after the other. A commit that takes long, since somebody else has
// locked a row or the disk is slow, does not hold the next one up.
func (c *Committer) commitGroups() {
	for {
		select {
		case <-c.lead:
			s, open := <-c.ready
			if !open {
				c.passLead()
				return
			}
			group := c.gather(s)
			late := time.AfterFunc(patience, c.passLead)
			c.commitGroup(group)
			if late.Stop() {
				c.passLead()
			}
		case <-c.crowd:
			for c.crowded() {
				select {
				case s, open := <-c.ready:
					if open {
						c.commitGroup(c.gather(s))
					}
				default: // somebody else was quicker
				}
			}
		}
	}
}

// crowded reports whether what waits makes a full group.
func (c *Committer) crowded() bool { return len(c.ready) >= c.limits.Steps }

// patience is how long a commit may take before another committer takes whatever is there.
const patience = 50 * time.Millisecond

func (c *Committer) passLead() { c.lead <- struct{}{} }

// gather takes what is waiting, up to the limits. Steps that must not be grouped go their own way.
func (c *Committer) gather(first *lease.Held) []*lease.Held {
	group, bytes := make([]*lease.Held, 0, 16), 0
	for s := first; ; {
		if groupable(s) {
			group = append(group, s)
			bytes += size(s)
		} else {
			go c.alone(s)
		}
		if len(group) >= c.limits.Steps || bytes >= c.limits.Bytes {
			return group
		}
		select {
		case next, open := <-c.ready:
			if !open {
				return group
			}
			s = next
		default:
			return group
		}
	}
}

// commitGroup commits group. A step whose write the database refuses is taken out and completed alone, so
// that its error is not the others'; what cannot be blamed on one step dissolves the group.
func (c *Committer) commitGroup(group []*lease.Held) {
	sortByKey(group)
	tables := c.byTable(group)
	for len(group) > 0 {
		failed, err := c.commit(c.Control, group, tables)
		switch {
		case tables != nil && err != nil && failure.Refused(err):
			tables = nil // whose row it was shows when each has a statement of its own
		case err == nil:
			for _, s := range group {
				s.Execution().RoundTrip()
			}
			c.Observe(lifecycle.Event{Kind: lifecycle.EventGroup, Count: len(group), Trips: 1})
			for _, s := range group {
				note(s.Handler, false)
				c.Completed(s)
			}
			return
		case failed >= 0 && failure.Refused(err):
			go c.alone(group[failed])
			group = slices.Delete(group, failed, failed+1)
		default:
			for _, s := range group {
				go c.alone(s)
			}
			return
		}
	}
}

// byTable returns the rows of a group by table where they may be written by one statement each, else nothing.
func (c *Committer) byTable(group []*lease.Held) []*rowsOf {
	if !c.arrays || len(group) < 2 {
		return nil
	}
	for _, s := range group {
		if s.Handler.Refused.Load() > byTableLimit {
			return nil
		}
	}
	return rowsByTable(group)
}

// sortByKey puts the steps into the order of their business keys, so that two groups which write the same
// rows do not lock them crosswise. Rows that are keyed by their run collide with nobody's.
func sortByKey(group []*lease.Held) {
	slices.SortStableFunc(group, func(a, b *lease.Held) int {
		return cmp.Or(cmp.Compare(lockKey(a), lockKey(b)), cmp.Compare(a.ID, b.ID))
	})
}

func lockKey(s *lease.Held) string {
	writes := s.Execution().Writes()
	for i := range writes {
		if t := writes[i].Table; t != nil && t.Business {
			return t.Table + writes[i].Key
		}
	}
	return ""
}

func size(s *lease.Held) int {
	n := 64 + len(s.Output)
	writes := s.Execution().Writes()
	for i := range writes {
		n += writes[i].Size()
	}
	return n
}

// groupable: a step that failed before is completed alone, and so are the steps of a handler whose
// completions the database often refuses.
func groupable(s *lease.Held) bool {
	return s.Attempt == 1 && s.Interruptions == 0 && Grouped(s.Handler)
}

// Grouped reports whether steps of the handler are committed in groups.
func Grouped(h *step.Handler) bool { return h.Refused.Load() <= groupLimit }

// The share of a handler's completions that were refused is kept in 1/refusedOne, as a moving average over about
// refusedWindow completions. Above groupLimit, about 2 %, grouping costs more than it saves. Above byTableLimit the rows of a
// group have a statement each: a refusal of many rows at once says nothing about whose row it was, so that all of it has to be
// sent again.
const (
	refusedOne    = 1 << 16
	refusedWindow = 128
	groupLimit    = refusedOne / 50
	byTableLimit  = refusedOne / 300
)

// note keeps the moving average. Two writers may lose one of their updates; it is an average.
func note(h *step.Handler, refused bool) {
	share := h.Refused.Load()
	next := share - share/refusedWindow
	if refused {
		next += refusedOne / refusedWindow
	}
	if next != share {
		h.Refused.Store(next)
	}
}
