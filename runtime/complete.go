package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/probe"
)

// completeDirectly completes a step within the transaction that its handler wrote through: the writes that
// are still kept, the fenced completion and the commit travel in one round trip.
func (w *Worker) completeDirectly(ex *execution) (again bool) {
	s := ex.step
	ctx, cancel := context.WithTimeout(w.lasting, w.cfg.Lease)
	defer cancel()
	err := ex.commitDirectly(ctx)
	switch {
	case err == nil:
		ex.tx.release()
		w.completed(ex)
		return false
	case !answered(err):
		ex.tx.release()
		s.unknown++
		w.observe(s.event(EventUnknown))
		w.resolve(ex, err)
		return false
	case faultOf(err) == faultLeaseLost:
		ex.tx.release()
		w.loseLease(s)
		return false
	}
	return w.giveUp(ex, err)
}

func (ex *execution) commitDirectly(ctx context.Context) error {
	t := &ex.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	b := &pgx.Batch{}
	writes := t.prologue(b)
	n := b.Len()
	ex.w.queueCompletion(b, []*execution{ex})
	b.Queue("commit")
	ex.roundTrip()
	br := t.conn.SendBatch(ctx, b)
	err := t.readPrologue(br, n, writes)
	if err == nil {
		_, err = br.Exec() // the fence
	}
	if err == nil {
		tag, commitErr := br.Exec()
		if err = commitErr; err == nil && tag.String() != "COMMIT" {
			err = ErrTxAborted
		}
	}
	return errors.Join(err, closeResults(br, err))
}

// queueCompletion queues the fenced completion of a group.
func (w *Worker) queueCompletion(b *pgx.Batch, group []*execution) {
	if len(group) == 1 {
		s := group[0].step
		b.Queue(w.sql.completeOne, s.id, s.epoch, jsonText(s.output))
		return
	}
	ids, epochs, outputs := make([]int64, len(group)), make([]int64, len(group)), make([]*string, len(group))
	for i, ex := range group {
		ids[i], epochs[i], outputs[i] = ex.step.id, ex.step.epoch, jsonText(ex.step.output)
	}
	b.Queue(w.sql.complete, ids, epochs, outputs)
}

// jsonText is an argument for a json value: nil is NULL.
func jsonText(output []byte) *string {
	if output == nil {
		return nil
	}
	text := string(output)
	return &text
}

// resolve finds out what became of a commit whose answer was lost. The step's row is the record of it.
func (w *Worker) resolve(ex *execution, lost error) {
	s := ex.step
	switch held, done, err := w.readBack(s); {
	case err != nil:
		w.log.Error("idem: the outcome of a commit is not known, and the database does not answer; the sweep will take the step back if it is open",
			"run_id", s.runID, "node", s.node, "error", err)
		w.finished(s)
	case done:
		w.completed(ex)
	case held:
		// The transaction is not committed. Should the server still be about to do so, settling waits for
		// it at the row, and then finds that the step is not held any more.
		w.settle(s, w.judge(ex, &interruptedError{lost}))
	default:
		w.loseLease(s)
	}
}

// readBack reads a step's row again: held, it is as the claim left it; done, this worker's completion is
// committed, for nobody else can raise the epoch from ours to the next with the state completed.
func (w *Worker) readBack(s *heldStep) (held, done bool, err error) {
	var state State
	var epoch int64
	err = w.stubborn(w.lasting, "read back", func(ctx context.Context) error {
		return w.control.QueryRow(ctx, w.sql.readBack, s.id).Scan(&state, &epoch)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, nil
	}
	return epoch == s.epoch, epoch == s.epoch+1 && state == StateCompleted, err
}

// loseLease ends the care for a step whose fence has refused. If a commit's answer had been lost before,
// the refusal may be the effect of that commit.
func (w *Worker) loseLease(s *heldStep) {
	if s.unknown > 0 {
		if _, done, err := w.readBack(s); err == nil && done {
			w.observeCompleted(s, 0)
			w.finished(s)
			return
		}
	}
	w.observe(s.event(EventLeaseLost))
	w.log.Warn("idem: lease lost, this execution's writes are rolled back", "run_id", s.runID, "node", s.node, "attempt", s.attempt)
	w.finished(s)
}

// completed ends the care for a step whose completion is committed.
func (w *Worker) completed(ex *execution) {
	probe.At(probe.CommitAfter, ex.step.runID, ex.step.node)
	w.observeCompleted(ex.step, int(ex.trips.Load()))
	for i := range ex.pending {
		if queue := ex.pending[i].wakes; queue != "" {
			w.announceWork(queue)
		}
	}
	w.finished(ex.step)
}

func (w *Worker) observeCompleted(s *heldStep, trips int) {
	if w.cfg.Observer == nil {
		return
	}
	e := s.event(EventCompleted)
	e.Duration, e.Trips = time.Since(s.started), trips
	w.observe(e)
}

// announceWork wakes this worker's queue at once, and the others' by notification.
func (w *Worker) announceWork(queue string) {
	if q := w.queues[queue]; q != nil {
		q.announce()
	}
	if w.announce.mayNotify(queue) {
		go w.announce.announce(queue)
	}
}

// commit sends the writes and the completions of a group as one pipeline, which is one transaction and
// one round trip. tables, if not nil, are the writes by table, which are then one statement each. failed is the place in
// group of the step whose write was refused, or -1.
func (w *Worker) commit(pool *pgxpool.Pool, group []*execution, tables []*rowsOf) (failed int, err error) {
	ctx, cancel := context.WithTimeout(w.lasting, w.cfg.Lease)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return -1, fmt.Errorf("idem: no connection to commit with: %w", err)
	}
	defer conn.Release()
	b := &pgx.Batch{}
	type write struct{ step, at int } // places in group, and in the step's writes
	var writes []write
	if tables != nil {
		for _, t := range tables {
			t.queue(b)
		}
	} else {
		for i, ex := range group {
			for j := range ex.pending {
				ex.pending[j].queue(b)
				writes = append(writes, write{i, j})
			}
		}
	}
	statements := b.Len()
	w.queueCompletion(b, group)
	br := conn.SendBatch(ctx, b)
	for i := range statements {
		if _, err = br.Exec(); err == nil {
			continue
		}
		_ = br.Close()
		switch err = w.doubt(group, err); {
		case tables != nil, unsent(err):
			return -1, err // it says nothing about whose write it was
		case answered(err):
			ex := group[writes[i].step]
			err = ex.pending[writes[i].at].explain(ex, err)
		}
		return writes[i].step, err
	}
	_, err = br.Exec()
	// A deferred constraint speaks only at the end of the pipeline.
	err = errors.Join(err, closeResults(br, err))
	return -1, w.doubt(group, err)
}

// doubt marks the group's steps when the server did not answer: their completion may be committed.
func (w *Worker) doubt(group []*execution, err error) error {
	if err == nil || answered(err) {
		return err
	}
	for _, ex := range group {
		ex.step.unknown++
		w.observe(ex.step.event(EventUnknown))
	}
	return err
}
