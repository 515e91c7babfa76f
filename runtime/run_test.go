package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestRecordedEffectCommitsWithCompletion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge")
	RegisterAction(b.reg, action, recordCharge)
	b.work(slow())
	run := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 100}))
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	b.effects(run, 1)
}

func TestDirectStatementsCommitWithCompletion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	step := NewStep[charge, int64]("finalize")
	RegisterStep(b.reg, step, func(ctx Context, in charge) (balance int64, err error) {
		if err := recordCharge(ctx, in); err != nil {
			return 0, err
		}
		err = ctx.CompletionTx().QueryRow(ctx, `UPDATE accounts SET balance = balance + $1 WHERE user_id = $2 RETURNING balance`, in.Amount, in.User).Scan(&balance)
		return balance, err
	})
	b.work(slow())
	run := must[Run](t)(step.Enqueue(t.Context(), b.client, charge{"ann", 70}))
	if out := must[int64](t)(step.Output(t.Context(), b.client, run)); out != 70 {
		t.Errorf("output is %d, want 70", out)
	}
	b.effects(run, 1)
	if n := b.count(`SELECT balance FROM accounts`); n != 70 {
		t.Errorf("balance is %d, want 70", n)
	}
}

func TestTransactionMethods(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("methods")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		tx := ctx.CompletionTx()
		rows, err := tx.Query(ctx, `SELECT generate_series(1, 3)`)
		if err != nil {
			return err
		}
		if got, err := pgx.CollectRows(rows, pgx.RowTo[int]); err != nil || len(got) != 3 {
			return errors.Join(errors.New("first query"), err)
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"strict"}, []string{"n"}, pgx.CopyFromRows([][]any{{1}, {2}})); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(`INSERT INTO strict VALUES ($1)`, 3)
		batch.Queue(`SELECT count(*) FROM strict`)
		br := tx.SendBatch(ctx, batch)
		if _, err := br.Exec(); err != nil {
			return err
		}
		var n int
		if err := br.QueryRow().Scan(&n); err != nil || n != 3 {
			return errors.Join(errors.New("count in batch"), err)
		}
		if err := br.Close(); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO strict VALUES (4); INSERT INTO strict VALUES (5)`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SAVEPOINT s`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT 1/0`); err == nil {
			return errors.New("division by zero passed")
		}
		if _, err := tx.Exec(ctx, `ROLLBACK TO SAVEPOINT s`); err != nil {
			return err
		}
		return recordCharge(ctx, in)
	})
	b.work(slow())
	run := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 1}))
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	b.effects(run, 1)
	if n := b.count(`SELECT count(*) FROM strict`); n != 5 {
		t.Errorf("%d rows in strict, want 5", n)
	}
}

func TestInsertReturnsStoredRow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	type out struct {
		ID       int64
		Inserted bool
	}
	step := NewStep[charge, out]("invoice")
	RegisterStep(b.reg, step, func(ctx Context, in charge) (o out, err error) {
		var order string
		var total int64
		o.Inserted, err = invoices.Insert(ctx, []any{&o.ID, &order, &total}, in.User, in.Amount)
		return o, err
	})
	b.work(slow())
	first := must[out](t)(step.Output(t.Context(), b.client, must[Run](t)(step.Enqueue(t.Context(), b.client, charge{"order-1", 5}))))
	again := must[out](t)(step.Output(t.Context(), b.client, must[Run](t)(step.Enqueue(t.Context(), b.client, charge{"order-1", 5}))))
	if !first.Inserted || again.Inserted || first.ID != again.ID {
		t.Errorf("first %+v, again %+v; want the same row, inserted once", first, again)
	}
	other := b.wait(must[Run](t)(step.Enqueue(t.Context(), b.client, charge{"order-1", 6})))
	b.is(other, StateDiscarded, ReasonPayloadMismatch, 1, 0)
}

func TestFollowUpsCommitWithCompletion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	receipt := NewAction[charge]("receipt")
	next := NewStep[charge, string]("next")
	order := NewAction[charge]("order", WithMaxAttempts(2), WithBackoff(1))
	var tries atomic.Int32
	var child, sibling Run
	RegisterAction(b.reg, receipt, recordCharge)
	RegisterStep(b.reg, next, func(Context, charge) (string, error) { return "done", nil })
	RegisterAction(b.reg, order, func(ctx Context, in charge) (err error) {
		if child, err = EnqueueActionCompletion(ctx, receipt, in); err != nil {
			return err
		}
		if sibling, err = EnqueueCompletion(ctx, next, in); err != nil {
			return err
		}
		if tries.Add(1) == 1 {
			return errors.New("not yet")
		}
		return nil
	})
	b.work(slow())
	run := must[Run](t)(order.Enqueue(t.Context(), b.client, charge{"ann", 3}))
	b.is(b.wait(run), StateCompleted, "", 2, 0)
	b.is(b.wait(child), StateCompleted, "", 1, 0)
	b.is(b.wait(sibling), StateCompleted, "", 1, 0)
	b.effects(child, 1)
	if sibling.ID != run.ID {
		t.Errorf("the next step belongs to run %s, want %s", sibling.ID, run.ID)
	}
	if n := b.count(`SELECT count(*) FROM idem.steps`); n != 3 {
		t.Errorf("%d steps, want 3: the failed attempt must not have enqueued anything", n)
	}
}

func TestErrorIsRetriedThenDiscarded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("fails", WithMaxAttempts(3), WithBackoff(1))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if err := recordCharge(ctx, in); err != nil {
			return err
		}
		return errors.New("no luck")
	})
	permanent := NewAction[charge]("permanent")
	RegisterAction(b.reg, permanent, func(Context, charge) error { return Permanent(errors.New("never")) })
	b.work(slow())
	run := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 1}))
	other := must[Run](t)(permanent.Enqueue(t.Context(), b.client, charge{"ann", 1}))
	b.is(b.wait(run), StateDiscarded, ReasonAttemptsExhausted, 3, 0)
	b.is(b.wait(other), StateDiscarded, ReasonPermanent, 1, 0)
	b.effects(run, 0)
	if n := b.count(`SELECT count(*) FROM idem.step_events WHERE event = 'retried'`); n != 2 {
		t.Errorf("%d retries in the events, want 2", n)
	}
	// An operator runs it again: same run, same keys, one more attempt.
	if n := must[int](t)(b.client.Retry(context.Background(), run.ID, "")); n != 1 {
		t.Errorf("retried %d steps, want 1", n)
	}
	b.is(b.wait(run), StateDiscarded, ReasonAttemptsExhausted, 4, 0)
}
