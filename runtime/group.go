package runtime

import (
	"cmp"
	"slices"
	"time"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// commitGroups commits what handlers have finished, together as much as is waiting at the moment. There is
// no timer: an idle system commits each step at once, a busy one finds the next group ready when a commit
// returns. Of several committers one takes whatever is there, and the others full groups only: two small
// groups at the same time cost more than a larger one after the other. A commit that takes long, since somebody else has
// locked a row or the disk is slow, does not hold the next one up.
func (w *Worker) commitGroups() {
	for {
		select {
		case <-w.lead:
			ex, open := <-w.ready
			if !open {
				w.passLead()
				return
			}
			group := w.gather(ex)
			late := time.AfterFunc(commitPatience, w.passLead)
			w.commitGroup(group)
			if late.Stop() {
				w.passLead()
			}
		case <-w.crowd:
			for w.crowded() {
				select {
				case ex, open := <-w.ready:
					if open {
						w.commitGroup(w.gather(ex))
					}
				default: // somebody else was quicker
				}
			}
		}
	}
}

// crowded tells whether what waits makes a full group.
func (w *Worker) crowded() bool { return len(w.ready) >= w.cfg.GroupSteps }

// commitPatience is how long a commit may take before another committer takes whatever is there.
const commitPatience = 50 * time.Millisecond

func (w *Worker) passLead() { w.lead <- struct{}{} }

// hand gives a finished execution to the committers.
func (w *Worker) hand(ex *execution) {
	w.ready <- ex
	if w.crowded() {
		pace.Signal(w.crowd)
	}
}

// gather takes what is waiting, up to the limits. Steps that must not be grouped go their own way.
func (w *Worker) gather(first *execution) []*execution {
	group, bytes := make([]*execution, 0, 16), 0
	for ex := first; ; {
		if ex.groupable() {
			group = append(group, ex)
			bytes += ex.size()
		} else {
			go w.completeAlone(ex)
		}
		if len(group) >= w.cfg.GroupSteps || bytes >= w.cfg.GroupBytes {
			return group
		}
		select {
		case next, open := <-w.ready:
			if !open {
				return group
			}
			ex = next
		default:
			return group
		}
	}
}

// commitGroup commits group. A step whose write the database refuses is taken out and completed alone, so
// that its error is not the others'; what cannot be blamed on one step dissolves the group.
func (w *Worker) commitGroup(group []*execution) {
	sortByKey(group)
	tables := w.together(group)
	for len(group) > 0 {
		failed, err := w.commit(w.control, group, tables)
		switch {
		case tables != nil && err != nil && isRefusal(err):
			tables = nil // whose row it was shows when each has a statement of its own
		case err == nil:
			for _, ex := range group {
				ex.trips.Add(1)
			}
			w.observe(Event{Kind: EventGroup, Count: len(group), Trips: 1})
			for _, ex := range group {
				ex.step.handler.noteCompletion(false)
				w.completed(ex)
			}
			return
		case failed >= 0 && isRefusal(err):
			go w.completeAlone(group[failed])
			group = slices.Delete(group, failed, failed+1)
		default:
			for _, ex := range group {
				go w.completeAlone(ex)
			}
			return
		}
	}
}

// isRefusal tells whether the database refused a statement for what it is about, so that others may well succeed.
func isRefusal(err error) bool { return faultOf(err) == faultStatement || isCode(err, sqlLockTimeout) }

// completeAlone completes one step in a transaction of its own, as often as it takes: the writes are data,
// so that nothing but the database is needed. Whether an earlier try whose answer was lost has committed
// shows at the fence.
func (w *Worker) completeAlone(ex *execution) {
	s := ex.step
	for try, conflicts := 1, 0; ; try++ {
		_, err := w.commit(w.handlers, []*execution{ex}, nil)
		ex.trips.Add(1)
		if err == nil {
			s.handler.noteCompletion(false)
			w.observe(Event{Kind: EventGroup, Count: 1, Trips: 1})
			w.completed(ex)
			return
		}
		switch faultOf(err) {
		case faultLeaseLost:
			w.loseLease(s)
			return
		case faultStatement:
			s.handler.noteCompletion(true)
			w.settle(s, w.refusedCompletion(ex, err))
			return
		case faultConflict:
			if conflicts++; conflicts > maxReruns {
				s.handler.noteCompletion(true)
				w.settle(s, w.failed(s, ReasonEffectFailed, err))
				return
			}
		case faultUnreachable:
			w.unreachable("complete", try, err)
			if s.unknown > maxReruns {
				// The commit itself may be what breaks the connection, or the server: it is given the same
				// number of chances as a handler's own statement.
				w.settle(s, w.judge(ex, &interruptedError{err}))
				return
			}
		}
		if !pace.Pause(w.lasting, pace.Jitter(pace.Backoff(10*time.Millisecond, try, 2*time.Second))) {
			w.log.Error("idem: a step could not be completed before the worker ended; the sweep will take it back", "run_id", s.runID, "node", s.node, "error", err)
			w.finished(s)
			return
		}
	}
}

// refusedCompletion is the verdict on a step whose recorded writes the database refused.
func (w *Worker) refusedCompletion(ex *execution, err error) verdict {
	v := w.judge(ex, err)
	if v.reason == ReasonError {
		v.reason = ReasonEffectFailed
	}
	return v
}

// sortByKey puts the steps into the order of their business keys, so that two groups which write the same
// rows do not lock them crosswise. Rows that are keyed by their run collide with nobody's.
func sortByKey(group []*execution) {
	slices.SortStableFunc(group, func(a, b *execution) int {
		return cmp.Or(cmp.Compare(a.lockKey(), b.lockKey()), cmp.Compare(a.step.id, b.step.id))
	})
}

func (ex *execution) lockKey() string {
	for i := range ex.pending {
		if e := ex.pending[i].effect; e != nil && e.Business {
			return e.Table + ex.pending[i].key
		}
	}
	return ""
}

func (ex *execution) size() int {
	n := 64 + len(ex.step.output)
	for i := range ex.pending {
		n += ex.pending[i].size()
	}
	return n
}

// groupable: a step that failed before is completed alone, and so are the steps of a handler whose
// completions the database often refuses.
func (ex *execution) groupable() bool {
	s := ex.step
	return s.attempt == 1 && s.interruptions == 0 && s.handler.failing.Load() <= failingLimit
}

// The share of refused completions is kept in 1/failingOne, as a moving average over about
// failingWindow completions. Above failingLimit, about 2 %, grouping costs more than it saves.
const (
	failingOne    = 1 << 16
	failingWindow = 128
	failingLimit  = failingOne / 50
)

// noteCompletion keeps the moving average. Two writers may lose one of their updates; it is an average.
func (h *handler) noteCompletion(refused bool) {
	share := h.failing.Load()
	next := share - share/failingWindow
	if refused {
		next += failingOne / failingWindow
	}
	if next != share {
		h.failing.Store(next)
	}
}
