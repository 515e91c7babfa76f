package faulttest

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/wire"
)

// enqueueings go wrong, or are repeated.
func (s *suite) enqueueings() []*fault {
	return []*fault{
		{name: "the caller's transaction rolls back, then another one commits", play: (*trial).playCallerRollsBack},
		{name: "the reply to the enqueueing is lost, and it is repeated", play: (*trial).playEnqueueReplyLost},
		{name: "enqueued again with the same key", play: (*trial).playEnqueuedAgain},
	}
}

func (tr *trial) playCallerRollsBack() {
	enqueue := func(tx pgx.Tx) error {
		_, err := tr.enqueueTx(tx)
		return err
	}
	if err := tr.inTx(enqueue, pgx.Tx.Rollback); err != nil {
		tr.problem("the step cannot be enqueued: %v", err)
		return
	}
	if _, err := tr.client(tr.pool).Status(tr.ctx, tr.run.ID, tr.run.Node); errors.Is(err, runtime.ErrNotFound) {
		tr.fire()
	} else {
		tr.problem("the run is there although the transaction that enqueued it was rolled back (%v)", err)
	}
	if err := tr.inTx(enqueue, pgx.Tx.Commit); err != nil {
		tr.problem("the step cannot be enqueued: %v", err)
		return
	}
	tr.work()
	tr.wait()
}

func (tr *trial) playEnqueueReplyLost() {
	pool, err := pgxpool.New(tr.ctx, tr.wires().URL())
	if err != nil {
		tr.problem("%v", err)
		return
	}
	defer pool.Close()
	cut := tr.proxy.CutReply(wire.Statement("INSERT"))
	if _, err := tr.action().Enqueue(tr.ctx, tr.client(pool), tr.bound.input, key); err != nil {
		select {
		case <-cut.Fired():
			tr.fire()
		case <-time.After(tr.patience()):
		}
	}
	run, err := tr.action().Enqueue(tr.ctx, tr.client(pool), tr.bound.input, key)
	if err != nil || !run.Duplicate || run.ID != tr.run.ID {
		tr.problem("enqueueing again gives %+v, %v; it must find the run %s", run, err, tr.run.ID)
	}
	tr.work()
	tr.wait()
}

func (tr *trial) playEnqueuedAgain() {
	tr.play()
	if run, err := tr.enqueue(tr.bound.input); err != nil || !run.Duplicate {
		tr.problem("enqueueing again gives %+v, %v; it must find the run", run, err)
		return
	}
	tr.fire()
	tr.idle()
}

// idle returns a worker time to look for work, of which there must be none.
func (tr *trial) idle() {
	tr.work(polling, sweeping)
	select {
	case <-time.After(60 * time.Millisecond):
	case <-tr.ctx.Done():
	}
}
