package step_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/step"
)

// These tests hand the core what a host may hand it by mistake or by bad luck, and handlers that do what they should not.

// within returns what f returns, or fails the test if that takes long.
func within[T any](t *testing.T, f func() T) (out T) {
	t.Helper()
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case out = <-done:
	case <-time.After(time.Minute):
		t.Fatal("it does not return")
	}
	return out
}

// begin begins a transaction on a connection of its own.
func (p *program) begin(mode pgx.QueryExecMode) pgx.Tx {
	p.Helper()
	ctx := context.Background()
	cfg := p.pool.Config().ConnConfig
	cfg.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = conn.Close(ctx) })
	tx, err := conn.Begin(ctx)
	if err != nil {
		p.Fatal(err)
	}
	return tx
}

// blocked is a source of rows that never comes.
type blocked struct{ until chan struct{} }

func (b blocked) Next() bool             { <-b.until; return false }
func (b blocked) Values() ([]any, error) { return nil, nil }
func (b blocked) Err() error             { return nil }

// A handler whose own code blocks inside a call of the transaction is not waited for either.
func TestOverrunInsideACall(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	until, back := make(chan struct{}), make(chan struct{})
	s := p.step(func(ex *step.Execution, _ []byte) ([]byte, error) {
		defer close(back)
		_, err := ex.Tx().CopyFrom(ex, pgx.Identifier{"accounts"}, []string{"name", "balance"}, blocked{until})
		return nil, err
	}, 100*time.Millisecond)
	tx := p.begin(pgx.QueryExecModeCacheStatement)
	o := within(t, func() step.Outcome { return step.RunIn(p.host, s, tx, nil) })
	if o.Kind != step.Retried || o.Reason != lifecycle.ReasonTimeout {
		t.Errorf("%+v", o)
	}
	close(until)
	<-back
	p.wrote(0)
}

// What is handed over is no transaction that can be written in: nothing runs, nothing is written, and it costs no attempt.
func TestNoTransactionToRunIn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, spoil := range map[string]func(pgx.Tx) error{
		"committed":   func(tx pgx.Tx) error { return tx.Commit(ctx) },
		"rolled back": func(tx pgx.Tx) error { return tx.Rollback(ctx) },
		"aborted": func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SELECT 1/0`); err == nil {
				return errors.New("it divides")
			}
			return nil
		},
		"closed": func(tx pgx.Tx) error { return tx.Conn().Close(ctx) },
		"being read": func(tx pgx.Tx) error {
			_, err := tx.Query(ctx, `SELECT generate_series(1, 100000)`)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			tx := p.begin(pgx.QueryExecModeCacheStatement)
			if err := spoil(tx); err != nil {
				t.Fatal(err)
			}
			s := p.step(charge, time.Minute)
			s.Attempt = s.MaxAttempts
			o := step.RunIn(p.host, s, tx, nil)
			if o.Kind != step.Released || !errors.Is(o.Err, step.ErrNoTransaction) {
				t.Errorf("%+v", o)
			}
			// A host that has the core run it step by step is not worse off.
			ex := step.NewIn(p.host, p.step(charge, time.Minute), tx)
			own := &ownTx{}
			if ex.Run(own); own.outcome.Kind != step.Released || !errors.Is(own.outcome.Err, step.ErrNoTransaction) {
				t.Errorf("%+v", own.outcome)
			}
			p.wrote(0)
		})
	}
}

// A caller with a savepoint goes back to it after a handler that failed, whatever that left unread, and goes on.
func TestBackToTheCallersSavepoint(t *testing.T) {
	t.Parallel()
	fault := errors.New("no")
	for name, run := range map[string]handler{
		"rows": func(ex *step.Execution, in []byte) ([]byte, error) {
			_, _ = charge(ex, in)
			rows, err := ex.Tx().Query(ex, `SELECT generate_series(1, 100000)`)
			if err == nil {
				rows.Next()
			}
			return nil, errors.Join(err, fault)
		},
		"a batch": func(ex *step.Execution, in []byte) ([]byte, error) {
			_, _ = charge(ex, in)
			b := &pgx.Batch{}
			b.Queue(`SELECT generate_series(1, 100000)`)
			b.Queue(`SELECT 1`)
			ex.Tx().SendBatch(ex, b)
			return nil, fault
		},
		"an error": func(ex *step.Execution, in []byte) ([]byte, error) {
			_, _ = charge(ex, in)
			_, err := ex.Tx().Exec(ex, `SELECT 1/0`)
			return nil, err
		},
		"a panic": func(ex *step.Execution, in []byte) ([]byte, error) {
			_, _ = charge(ex, in)
			_, _ = ex.Tx().Query(ex, `SELECT generate_series(1, 100000)`)
			panic("no")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			p := newProgram(t)
			tx := p.begin(pgx.QueryExecModeCacheStatement)
			if _, err := tx.Exec(ctx, `INSERT INTO jobs VALUES (2, 'before', true)`); err != nil {
				t.Fatal(err)
			}
			savepoint, err := tx.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if o := step.RunIn(p.host, p.step(run, time.Minute), savepoint, nil); o.Kind != step.Retried {
				t.Errorf("%+v", o)
			}
			if err := savepoint.Rollback(ctx); err != nil {
				t.Fatal(err)
			}
			if savepoint, err = tx.Begin(ctx); err != nil {
				t.Fatal(err)
			}
			if o := step.RunIn(p.host, p.step(charge, time.Minute), savepoint, nil); o.Kind != step.Completed {
				t.Errorf("%+v", o)
			}
			if err := errors.Join(savepoint.Commit(ctx), tx.Commit(ctx)); err != nil {
				t.Fatal(err)
			}
			p.wrote(1)
			if n := p.count(`SELECT count(*) FROM jobs`); n != 2 {
				t.Errorf("%d jobs", n)
			}
		})
	}
}

// A caller that stops, as an HTTP request that is cancelled, is no failure of the handler: it costs no attempt.
func TestTheCallerStops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause error
		kind  step.Kind
	}{
		"by itself":      {context.Canceled, step.Released},
		"for a deadline": {context.DeadlineExceeded, step.Released},
		"has lost it":    {failure.ErrLeaseLost, step.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			steps, stop := context.WithCancelCause(context.Background())
			p.host.Steps = steps
			s := p.step(func(ex *step.Execution, in []byte) ([]byte, error) {
				if _, err := charge(ex, in); err != nil {
					return nil, err
				}
				stop(c.cause)
				<-ex.Done()
				_, err := ex.Tx().Exec(ex, `SELECT 1`)
				return nil, errors.Join(ex.Err(), err)
			}, time.Minute)
			s.Attempt = s.MaxAttempts
			if o := p.runStep(s, nil); o.Kind != c.kind {
				t.Errorf("%+v", o)
			}
			p.wrote(0)
		})
	}
}

// A handler that does not care that its caller has stopped is not waited for longer than the grace.
func TestTheCallerStopsAndTheHandlerDoesNot(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	steps, stop := context.WithCancel(context.Background())
	p.host.Steps = steps
	goOn, late := make(chan struct{}), make(chan error, 1)
	s := p.step(func(ex *step.Execution, in []byte) ([]byte, error) {
		stop()
		<-goOn
		_, err := charge(ex, in)
		late <- err
		return nil, nil
	}, time.Hour)
	o := within(t, func() step.Outcome { return p.runStep(s, nil) })
	if o.Kind != step.Released || o.Reason != lifecycle.ReasonShutdown {
		t.Errorf("%+v", o)
	}
	close(goOn)
	if err := <-late; !errors.Is(err, failure.ErrAttemptEnded) {
		t.Errorf("a late write gives %v", err)
	}
	p.wrote(0)
}

// A fence that waits for a lock is not waited for longer than a statement of the host's may take.
func TestAFenceThatWaits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProgram(t)
	p.host.Within = 300 * time.Millisecond
	holder := p.begin(pgx.QueryExecModeCacheStatement)
	if _, err := holder.Exec(ctx, `UPDATE jobs SET done = true`); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Rollback(ctx) }()
	fence := func(b *pgx.Batch) { b.Queue(`UPDATE jobs SET done = true WHERE id = 1`) }
	tx := p.begin(pgx.QueryExecModeCacheStatement)
	o := within(t, func() step.Outcome { return step.RunIn(p.host, p.step(charge, time.Minute), tx, fence) })
	if o.Kind != step.Released || o.Reason != lifecycle.ReasonInterrupted {
		t.Errorf("%+v", o)
	}
	p.wrote(0)
}

// A host that runs a step again has the same step.
func TestTheSameStepAgain(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	times := 0
	s := p.step(func(ex *step.Execution, in []byte) ([]byte, error) {
		if string(in) != `"in"` {
			return nil, errors.New("it is given no input")
		}
		if times++; times == 1 {
			return nil, &failure.Waiting{Err: errors.New("not yet")}
		}
		return charge(ex, in)
	}, time.Minute)
	if o := p.runStep(s, nil); o.Kind != step.Released {
		t.Errorf("%+v", o)
	}
	if o := p.runStep(s, nil); o.Kind != step.Completed {
		t.Errorf("%+v", o)
	}
}

// A fence that panics does so where its host called.
func TestAFenceThatPanics(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	tx := p.begin(pgx.QueryExecModeCacheStatement)
	defer func() {
		if v := recover(); v != "no" {
			t.Errorf("it recovers %v", v)
		}
	}()
	o := step.RunIn(p.host, p.step(charge, time.Minute), tx, func(*pgx.Batch) { panic("no") })
	t.Errorf("%+v", o)
}

// What fails by conflicts for ever becomes the handler's failure at last.
func TestConflictsForEver(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	conflict := func(ex *step.Execution, _ []byte) ([]byte, error) {
		_, err := ex.Tx().Exec(ex, `DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`)
		return nil, err
	}
	s := p.step(conflict, time.Minute)
	if o := p.runStep(s, nil); o.Kind != step.Released || !o.Interrupted || o.Delay <= 0 {
		t.Errorf("%+v", o)
	}
	s = p.step(conflict, time.Minute)
	s.Interruptions = step.MaxInterruptions
	if o := p.runStep(s, nil); o.Kind != step.Retried || o.Reason != lifecycle.ReasonInterrupted {
		t.Errorf("%+v", o)
	}
}

// Whoever counts handlers that are stuck is told when one is not any more. Nobody need count.
func TestStuckAndBack(t *testing.T) {
	t.Parallel()
	for _, counted := range []bool{true, false} {
		p := newProgram(t)
		if !counted {
			p.host.Observer = nil
		}
		goOn, back := make(chan struct{}), make(chan error, 1)
		s := p.step(func(ex *step.Execution, in []byte) ([]byte, error) {
			<-goOn
			_, err := charge(ex, in)
			back <- err
			return nil, err
		}, 50*time.Millisecond)
		if o := p.runStep(s, nil); o.Kind != step.Retried {
			t.Errorf("%+v", o)
		}
		close(goOn)
		if err := <-back; !errors.Is(err, failure.ErrAttemptEnded) {
			t.Errorf("a late write gives %v", err)
		}
		for end := time.Now().Add(time.Minute); counted && !p.saw(lifecycle.EventUnstuck); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nobody was told that it is back")
			}
		}
	}
}

// Whatever the caller's connection is, and however pgx talks to the server over it.
func TestConnectionsToRunIn(t *testing.T) {
	t.Parallel()
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			ctx := context.Background()
			fence := func(token string) step.Fence {
				return func(b *pgx.Batch) { b.Queue(`UPDATE jobs SET done = true WHERE id = 1 AND token = $1`, token) }
			}
			tx := p.begin(mode)
			if o := step.RunIn(p.host, p.step(charge, time.Minute), tx, fence("another's")); o.Kind != step.Lost {
				t.Errorf("%+v", o)
			}
			if err := tx.Rollback(ctx); err != nil {
				t.Fatal(err)
			}
			tx = p.begin(mode)
			everything := func(ex *step.Execution, in []byte) ([]byte, error) {
				b := &pgx.Batch{}
				b.Queue(`INSERT INTO jobs VALUES (3, 'batch')`)
				err := ex.Tx().SendBatch(ex, b).Close()
				if err == nil {
					_, err = ex.Tx().CopyFrom(ex, pgx.Identifier{"jobs"}, []string{"id", "token"}, pgx.CopyFromRows([][]any{{int64(4), "copy"}}))
				}
				if err == nil {
					_, err = ex.Tx().Query(ex, `SELECT generate_series(1, 10000)`) // never read
				}
				if err != nil {
					return nil, err
				}
				return []byte(`1`), ledger.Record(ex, int64(1))
			}
			if o := step.RunIn(p.host, p.step(everything, time.Minute), tx, fence("mine")); o.Kind != step.Completed {
				t.Errorf("%+v", o)
			}
			if err := tx.Commit(ctx); err != nil {
				t.Fatal(err)
			}
			if rows, jobs := p.count(`SELECT count(*) FROM ledger`), p.count(`SELECT count(*) FROM jobs`); rows != 1 || jobs != 3 {
				t.Errorf("%d rows, %d jobs", rows, jobs)
			}
		})
	}
}

// A goroutine that a handler leaves behind cannot write into what the caller does next.
func TestAGoroutineLeftBehind(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	goOn, late := make(chan struct{}), make(chan error, 1)
	leave := func(ex *step.Execution, in []byte) ([]byte, error) {
		go func() {
			<-goOn
			_, err := ex.Tx().Exec(context.Background(), `UPDATE accounts SET balance = 100`)
			late <- err
		}()
		return charge(ex, in)
	}
	tx := p.begin(pgx.QueryExecModeCacheStatement)
	if o := step.RunIn(p.host, p.step(leave, time.Minute), tx, nil); o.Kind != step.Completed {
		t.Errorf("%+v", o)
	}
	close(goOn)
	if err := <-late; !errors.Is(err, failure.ErrAttemptEnded) {
		t.Errorf("a late write gives %v", err)
	}
	if err := tx.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	p.wrote(1)
}
