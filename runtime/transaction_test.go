package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/pgtest"
)

// attempts runs an action whose first attempt is first, and whose later ones write as usual. It returns the
// step once it has ended.
func attempts(b *bench, first func(Context, charge) error, opts ...Option) (Run, StepStatus) {
	b.Helper()
	action := NewAction[charge]("attempts", append([]Option{WithBackoff(time.Millisecond)}, opts...)...)
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if err := noteRun(ctx, b.pool); err != nil {
			return err
		}
		if ctx.Attempt() == 1 {
			return first(ctx, in)
		}
		return writeCharge(ctx, direct, in)
	})
	b.work(slow())
	run := b.charge(action)
	return run, b.wait(run)
}

// failedOnce checks that the first attempt failed for reason, and left nothing.
func (b *bench) failedOnce(run Run, end StepStatus, reason Reason) {
	b.Helper()
	b.is(end, StateCompleted, "", 2, 0)
	b.written(run, direct, 1)
	b.ran(run, 2)
	if n := b.count(`SELECT count(*) FROM idem.step_events WHERE event = 'retried' AND attempt = 1 AND reason = $1`, string(reason)); n != 1 {
		b.Errorf("the first attempt did not fail as %s", reason)
	}
	if n := b.count(`SELECT count(*) FROM accounts WHERE user_id <> 'ann'`); n != 0 {
		b.Errorf("%d rows of the failed attempt", n)
	}
}

func TestF22_SwallowedErrorFailsTheAttempt(t *testing.T) {
	t.Parallel()
	for name, swallow := range map[string]func(ctx Context, tx Tx){
		"Exec":     func(ctx Context, tx Tx) { _, _ = tx.Exec(ctx, `SELECT 1/0`) },
		"no table": func(ctx Context, tx Tx) { _, _ = tx.Exec(ctx, `INSERT INTO nowhere VALUES ($1)`, 1) },
		"Query": func(ctx Context, tx Tx) {
			if rows, err := tx.Query(ctx, `SELECT 1/(n-2) FROM generate_series(1, 3) n`); err == nil {
				for rows.Next() {
				}
			}
		},
		"QueryRow": func(ctx Context, tx Tx) { _ = tx.QueryRow(ctx, `SELECT 1/0`).Scan(new(int)) },
		"unread":   func(ctx Context, tx Tx) { _ = tx.QueryRow(ctx, `SELECT 1/0`) },
		"SendBatch": func(ctx Context, tx Tx) {
			b := &pgx.Batch{}
			b.Queue(`SELECT 1/0`)
			_ = tx.SendBatch(ctx, b).Close()
		},
		"batch not closed": func(ctx Context, tx Tx) {
			b := &pgx.Batch{}
			b.Queue(`SELECT 1`)
			b.Queue(`SELECT 1/0`)
			_, _ = tx.SendBatch(ctx, b).Exec()
		},
		"CopyFrom": func(ctx Context, tx Tx) {
			_, _ = tx.CopyFrom(ctx, pgx.Identifier{"nowhere"}, []string{"n"}, pgx.CopyFromRows([][]any{{1}}))
		},
		"its own context ended": func(ctx Context, tx Tx) {
			short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			defer cancel()
			_, _ = tx.Exec(short, `SELECT pg_sleep(60)`)
		},
		"deferred error in a flush": func(ctx Context, tx Tx) {
			_ = ledger.Record(ctx, "ann", int64(-1), nil) // below zero: the CHECK refuses it
			_, _ = tx.Exec(ctx, `SELECT 1`)
		},
	} {
		for when, before := range map[string]bool{"first statement": false, "later statement": true} {
			t.Run(name+"/"+when, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				run, end := attempts(b, func(ctx Context, in charge) error {
					if before {
						if _, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO accounts VALUES ('lost', 0)`); err != nil {
							return err
						}
					}
					swallow(ctx, ctx.CompletionTx())
					return nil
				})
				b.failedOnce(run, end, ReasonTxAborted)
			})
		}
	}
}

// What the server has never seen is missing all the same: a value that does not fit its column, a connection that is still
// being read from, a context that had ended before. Ignoring that fails the attempt as an error of the server does, in every
// mode of pgx.
func TestSwallowedErrorOfTheClientFailsTheAttempt(t *testing.T) {
	t.Parallel()
	const tooLarge = int64(1) << 40 // for an integer
	insert := func(ctx Context, tx Tx, n any) { _, _ = tx.Exec(ctx, `INSERT INTO nums VALUES ($1)`, n) }
	for name, swallow := range map[string]func(ctx Context, tx Tx){
		"Exec, too large":    func(ctx Context, tx Tx) { insert(ctx, tx, tooLarge) },
		"Exec, no such type": func(ctx Context, tx Tx) { insert(ctx, tx, make(chan int)) },
		"Query, too large":   func(ctx Context, tx Tx) { _, _ = tx.Query(ctx, `INSERT INTO nums VALUES ($1) RETURNING n`, tooLarge) },
		"QueryRow, too large": func(ctx Context, tx Tx) {
			_ = tx.QueryRow(ctx, `INSERT INTO nums VALUES ($1) RETURNING n`, tooLarge).Scan(new(int))
		},
		"QueryRow, not read": func(ctx Context, tx Tx) { _ = tx.QueryRow(ctx, `INSERT INTO nums VALUES ($1) RETURNING n`, tooLarge) },
		"too few arguments":  func(ctx Context, tx Tx) { _, _ = tx.Exec(ctx, `INSERT INTO nums VALUES ($1)`) },
		"SendBatch, closed": func(ctx Context, tx Tx) {
			b := &pgx.Batch{}
			b.Queue(`INSERT INTO nums VALUES ($1)`, tooLarge)
			_ = tx.SendBatch(ctx, b).Close()
		},
		"SendBatch, not closed": func(ctx Context, tx Tx) {
			b := &pgx.Batch{}
			b.Queue(`INSERT INTO nums VALUES (1)`)
			b.Queue(`INSERT INTO nums VALUES ($1)`, tooLarge)
			_, _ = tx.SendBatch(ctx, b).Exec()
		},
		"SendBatch, and another statement": func(ctx Context, tx Tx) {
			b := &pgx.Batch{}
			b.Queue(`INSERT INTO nums VALUES ($1)`, tooLarge)
			_ = tx.SendBatch(ctx, b).Close()
			insert(ctx, tx, 1)
		},
		"CopyFrom": func(ctx Context, tx Tx) {
			_, _ = tx.CopyFrom(ctx, pgx.Identifier{"nums"}, []string{"n"}, pgx.CopyFromRows([][]any{{tooLarge}}))
		},
		"an ended context": func(ctx Context, tx Tx) {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			_, _ = tx.Exec(ended, `INSERT INTO nums VALUES (1)`)
		},
		"rows still open": func(ctx Context, tx Tx) {
			rows, err := tx.Query(ctx, `SELECT generate_series(1, 100000)`)
			if err != nil {
				return
			}
			defer rows.Close()
			rows.Next()
			insert(ctx, tx, 1)
		},
		"and a savepoint before": func(ctx Context, tx Tx) {
			_, _ = tx.Exec(ctx, `SAVEPOINT a`)
			_, _ = tx.Exec(ctx, `ROLLBACK TO a`)
			insert(ctx, tx, tooLarge)
		},
	} {
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeExec} {
			for when, before := range map[string]bool{"first statement": false, "later statement": true} {
				t.Run(name+"/"+mode.String()+"/"+when, func(t *testing.T) {
					t.Parallel()
					b := newBench(t)
					b.exec(`CREATE TABLE nums (n integer)`)
					cfg := b.pool.Config()
					cfg.ConnConfig.DefaultQueryExecMode = mode
					b.pool = must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
					t.Cleanup(b.pool.Close)
					_, end := attempts(b, func(ctx Context, in charge) error {
						if before {
							if _, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO accounts VALUES ('lost', 0)`); err != nil {
								return err
							}
						}
						swallow(ctx, ctx.CompletionTx())
						return nil
					})
					if end.State != StateCompleted || end.Attempt != 2 || b.count(`SELECT count(*) FROM nums`)+b.count(`SELECT count(*) FROM accounts WHERE user_id = 'lost'`) != 0 {
						t.Errorf("%+v, with %d rows", end, b.count(`SELECT count(*) FROM nums`))
					}
				})
			}
		}
	}
}

// An error that a handler has gone back from, to a savepoint, is none; nor is one in reading what has been done.
func TestHandledErrorsOfTheClient(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(`CREATE TABLE nums (n integer)`)
	action := NewAction[charge]("careful", WithMaxAttempts(1))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		tx := ctx.CompletionTx()
		_, _ = tx.Exec(ctx, `SAVEPOINT a`)
		if _, err := tx.Exec(ctx, `INSERT INTO nums VALUES ($1)`, int64(1)<<40); err == nil {
			return errors.New("it fits")
		}
		if _, err := tx.Exec(ctx, `ROLLBACK TO a`); err != nil {
			return err
		}
		var none string
		_ = tx.QueryRow(ctx, `INSERT INTO nums VALUES (7) RETURNING NULL::text`).Scan(&none) // cannot be read, and is done
		_, err := tx.Exec(ctx, `INSERT INTO nums VALUES (8)`)
		return err
	})
	b.work(slow())
	run := b.charge(action)
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	if n := b.count(`SELECT sum(n) FROM nums`); n != 15 {
		t.Errorf("the rows add up to %d, want 15", n)
	}
}

// A row, a command or a step that could not be kept is missing from the completion, whatever the handler does about the error.
func TestSwallowedErrorOfARecord(t *testing.T) {
	t.Parallel()
	small := NewAction[string]("small", WithMaxInput(5))
	for name, swallow := range map[string]func(ctx Context){
		"a value that cannot be encoded": func(ctx Context) { _ = ledger.Record(ctx, "x", make(chan int), nil) },
		"a conversion that fails":        func(ctx Context) { _ = ledger.Record(ctx, idemimpl.JSON(make(chan int)), int64(1), nil) },
		"a number of values":             func(ctx Context) { _ = ledger.Record(ctx, "x") },
		"inserted at once":               func(ctx Context) { _, _ = ledger.Insert(ctx, nil, "x", make(chan int), nil) },
		"a command":                      func(ctx Context) { _ = ledger.KeepCommand(ctx, nil, "", make(chan int), nil) },
		"an input over its limit":        func(ctx Context) { _, _ = EnqueueActionCompletion(ctx, small, "much too long") },
		"a key that is empty":            func(ctx Context) { _, _ = EnqueueActionCompletion(ctx, small, "x", WithKey("", "")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			_, end := attempts(b, func(ctx Context, in charge) error {
				swallow(ctx)
				return nil
			})
			b.is(end, StateCompleted, "", 2, 0)
			if n := b.count(`SELECT count(*) FROM idem.steps WHERE node = 'small'`); n != 0 {
				t.Errorf("%d steps", n)
			}
		})
	}
}

func TestF23_TransactionControlIsRefused(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"COMMIT", "ROLLBACK", "end", "BEGIN", "abort", "/* x */ commit work", "SELECT 1; COMMIT", "PREPARE TRANSACTION 'x'",
		"START TRANSACTION", "COMMIT AND CHAIN", "ROLLBACK PREPARED 'x'", "--\ncommit", "rollback and chain"} {
		for name, send := range map[string]func(ctx Context, tx Tx) error{
			"Exec":     func(ctx Context, tx Tx) error { _, err := tx.Exec(ctx, sql); return err },
			"Query":    func(ctx Context, tx Tx) error { _, err := tx.Query(ctx, sql); return err },
			"QueryRow": func(ctx Context, tx Tx) error { return tx.QueryRow(ctx, sql).Scan(new(int)) },
			"SendBatch": func(ctx Context, tx Tx) error {
				b := &pgx.Batch{}
				b.Queue(`INSERT INTO accounts VALUES ('batched', 0)`)
				b.Queue(sql)
				return tx.SendBatch(ctx, b).Close()
			},
		} {
			if name != "Exec" && sql != "COMMIT" && sql != "SELECT 1; COMMIT" {
				continue // the check is the same for all
			}
			t.Run(sql+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				run, end := attempts(b, func(ctx Context, in charge) error {
					if _, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO accounts VALUES ('lost', 0)`); err != nil {
						return err
					}
					if err := send(ctx, ctx.CompletionTx()); !errors.Is(err, ErrTxControl) {
						t.Errorf("%s gives %v, want ErrTxControl", sql, err)
					}
					return nil // as if nothing had happened
				})
				b.failedOnce(run, end, ReasonTxControl)
			})
		}
	}
}

// endingTracer ends the transaction of a connection once it has run a certain statement.
type endingTracer struct{}

const endsBehindOurBack = `SELECT 'the transaction is over'`

func (endingTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, endingTracer{}, d.SQL == endsBehindOurBack)
}

func (endingTracer) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryEndData) {
	if ends, _ := ctx.Value(endingTracer{}).(bool); ends {
		_, _ = conn.PgConn().Exec(ctx, "ROLLBACK").ReadAll()
	}
}

// Whatever gets past the check of the text is caught by the state of the connection.
func TestF23_TransactionEndedBehindOurBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cfg := b.pool.Config()
	cfg.ConnConfig.Tracer = endingTracer{}
	b.pool = must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
	t.Cleanup(b.pool.Close)
	run, end := attempts(b, func(ctx Context, in charge) error {
		if _, err := ctx.CompletionTx().Exec(ctx, `SELECT 1`); err != nil {
			return err
		}
		_, err := ctx.CompletionTx().Exec(ctx, endsBehindOurBack)
		return err
	})
	b.failedOnce(run, end, ReasonTxControl)
}

func TestSavepoints(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run, end := attempts(b, func(ctx Context, in charge) error {
		tx := ctx.CompletionTx()
		for _, sql := range []string{`SAVEPOINT a`, `INSERT INTO accounts VALUES ('undone', 0)`, `ROLLBACK TO a`, `RELEASE SAVEPOINT a`, `SAVEPOINT b`} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return writeCharge(ctx, direct, in)
	})
	b.is(end, StateCompleted, "", 1, 0)
	b.written(run, direct, 1)
	if n := b.count(`SELECT count(*) FROM accounts WHERE user_id = 'undone'`); n != 0 {
		t.Error("what was rolled back to the savepoint is there")
	}
}

// A recorded row belongs to the completion. That it was flushed inside a savepoint which is rolled back must
// not lose it.
func TestRecordSurvivesSavepoint(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(ctx Context, tx Tx) error{
		"Exec": func(ctx Context, tx Tx) error { _, err := tx.Exec(ctx, `ROLLBACK TO SAVEPOINT s`); return err },
		"SendBatch": func(ctx Context, tx Tx) error {
			b := &pgx.Batch{}
			b.Queue(`ROLLBACK TO s`)
			return tx.SendBatch(ctx, b).Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			run, end := attempts(b, func(ctx Context, in charge) error {
				tx := ctx.CompletionTx()
				if _, err := tx.Exec(ctx, `SAVEPOINT s`); err != nil {
					return err
				}
				if err := writeCharge(ctx, recorded, in); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, `SELECT 1/0`); err == nil {
					return errors.New("1/0 passed")
				}
				if err := back(ctx, tx); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, `UPDATE accounts SET balance = balance + $1`, in.Amount)
				return err
			})
			b.is(end, StateCompleted, "", 1, 0)
			b.written(run, direct, 1)
		})
	}
}

// A handler that leaves a result unread has done nothing wrong: it is read to its end.
func TestUnreadResults(t *testing.T) {
	t.Parallel()
	const many = `SELECT repeat('x', 1000) FROM generate_series(1, 5000)`
	for name, leave := range map[string]func(ctx Context, tx Tx) error{
		"rows": func(ctx Context, tx Tx) error {
			rows, err := tx.Query(ctx, many)
			if err == nil {
				rows.Next()
			}
			return err
		},
		"row": func(ctx Context, tx Tx) error { _ = tx.QueryRow(ctx, many); return nil },
		"batch": func(ctx Context, tx Tx) error {
			b := &pgx.Batch{}
			b.Queue(many)
			b.Queue(`SELECT 1`)
			_, err := tx.SendBatch(ctx, b).Exec()
			return err
		},
		"write": func(ctx Context, tx Tx) error {
			_, err := tx.Query(ctx, `INSERT INTO accounts SELECT 'n' || n FROM generate_series(1, 5000) n RETURNING user_id`)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			run, end := attempts(b, func(ctx Context, in charge) error {
				if err := writeCharge(ctx, direct, in); err != nil {
					return err
				}
				return leave(ctx, ctx.CompletionTx())
			})
			b.is(end, StateCompleted, "", 1, 0)
			b.written(run, direct, 1)
			b.ran(run, 1)
		})
	}
}

// A result without an end that the handler left behind is the attempt's: its timeout ends it.
func TestUnreadResultTimesOut(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run, end := attempts(b, func(ctx Context, in charge) error {
		_, err := ctx.CompletionTx().Query(ctx, `SELECT n, pg_sleep(10) FROM generate_series(1, 100) n`)
		return err
	}, WithTimeout(500*time.Millisecond))
	b.failedOnce(run, end, ReasonTimeout)
}

func TestF20_PanicIsAFailedAttempt(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		neighbour := NewAction[charge]("neighbour")
		RegisterAction(b.reg, neighbour, func(ctx Context, in charge) error {
			return ledger.Record(ctx, "neighbour", in.Amount, nil)
		})
		action := NewAction[charge](way, WithBackoff(time.Millisecond))
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			if err := writeCharge(ctx, way, in); err != nil {
				return err
			}
			if ctx.Attempt() == 1 {
				panic(fmt.Sprintf("\x00 bad \xff %s", in.User))
			}
			return nil
		})
		b.work(slow())
		runs := must[[]Run](t)(neighbour.EnqueueMany(t.Context(), b.client, make([]charge, 10), nil))
		run := b.charge(action)
		b.is(b.wait(run), StateCompleted, "", 2, 0)
		b.written(run, way, 1)
		for _, r := range runs {
			b.is(b.wait(r), StateCompleted, "", 1, 0)
		}
		if n := b.count(`SELECT count(*) FROM idem.step_events WHERE reason = 'panic' AND error LIKE '%ann%transaction_test.go%'`); n != 1 {
			t.Error("the panic was not noted with its value and stack")
		}
	})
}

// nasty is an error that cannot even be asked what it says.
type nasty struct{ text string }

func (n *nasty) Error() string { return n.text } // panics when n is nil

type nastyUnwrap struct{}

func (nastyUnwrap) Error() string { return "nasty" }
func (nastyUnwrap) Unwrap() error { panic("Unwrap") }

type nastyIs struct{}

func (nastyIs) Error() string    { return "nasty" }
func (nastyIs) Is(error) bool    { panic("Is") }
func (nastyIs) As(any) bool      { panic("As") }
func (nastyIs) String() string   { panic("String") }
func (nastyIs) GoString() string { panic("GoString") }

// Nothing that a handler says or does keeps its failure from being recorded.
func TestFailureIsAlwaysRecorded(t *testing.T) {
	t.Parallel()
	long := make([]byte, 1<<20)
	for i := range long {
		long[i] = byte(i)
	}
	for name, fail := range map[string]func(Context) error{
		"typed nil":            func(Context) error { var n *nasty; return n },
		"panicking Unwrap":     func(Context) error { return nastyUnwrap{} },
		"panicking Is":         func(Context) error { return nastyIs{} },
		"joined with nasty":    func(Context) error { return errors.Join(errors.New("x"), nastyIs{}) },
		"panic with an error":  func(Context) error { panic(nastyIs{}) },
		"panic with typed nil": func(Context) error { var n *nasty; panic(n) },
		"nil panic":            func(Context) error { panic(nil) },
		"Goexit":               func(Context) error { runtime.Goexit(); return nil },
		"NUL and bad UTF-8":    func(Context) error { return errors.New("\x00\xff\xed\xa0\x80") },
		"a megabyte of bytes":  func(Context) error { return errors.New(string(long)) },
		"abandoned transaction": func(ctx Context) error {
			_, _ = ctx.CompletionTx().Query(ctx, `SELECT generate_series(1, 100000)`)
			panic("with an open result")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			action := NewAction[charge]("fails", WithBackoff(time.Millisecond))
			RegisterAction(b.reg, action, func(ctx Context, in charge) error {
				if err := writeCharge(ctx, direct, in); err != nil {
					return err
				}
				if ctx.Attempt() == 1 {
					return fail(ctx)
				}
				return nil
			})
			b.work(slow())
			run := b.charge(action)
			b.is(b.wait(run), StateCompleted, "", 2, 0)
			b.written(run, direct, 1)
			if n := len(b.events.of(EventStuck)); n != 0 {
				t.Error("the handler's place was given up as stuck")
			}
		})
	}
}

// latin1 is a migrated database that cannot hold every character.
func latin1(t *testing.T) *pgxpool.Pool {
	cfg := pgtest.New(t).Config()
	admin := must[*pgx.Conn](t)(pgx.ConnectConfig(t.Context(), cfg.ConnConfig.Copy()))
	defer func() { _ = admin.Close(context.Background()) }()
	name := cfg.ConnConfig.Database + "_latin1"
	exec := func(sql string) {
		if _, err := admin.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE DATABASE ` + name + ` TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`)
	cfg.ConnConfig.Database = name
	cfg.ConnConfig.RuntimeParams["client_encoding"] = "UTF8" // or the bytes would pass as they are
	pool := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
	t.Cleanup(pool.Close)
	if err := migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	return pool
}

// A database that cannot hold an error's characters still takes the failure.
func TestFailureIsRecordedInAnyEncoding(t *testing.T) {
	t.Parallel()
	b := newBenchOn(t, latin1(t))
	run, end := attempts(b, func(Context, charge) error { return errors.New("日本 \ufffd") })
	b.failedOnce(run, end, ReasonError)
}

func TestPermanentAndRetryAfter(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if Permanent(nil) != nil {
		t.Error("Permanent(nil) is not nil")
	}
	var wait atomic.Int64
	run, end := attempts(b, func(Context, charge) error {
		wait.Store(time.Now().UnixNano())
		return fmt.Errorf("busy: %w", RetryAfter(600*time.Millisecond, nil))
	})
	b.failedOnce(run, end, ReasonError)
	if n := b.count(`SELECT count(*) FROM idem.steps, idem.step_events e WHERE state = 'completed' AND finished_at >= e.at + interval '600 milliseconds'`); n != 1 {
		t.Error("the second attempt came before its time")
	}
	for d, want := range map[time.Duration]time.Duration{-1: time.Millisecond, 0: time.Millisecond, 1 << 62: maxDelay} {
		var after *failure.Later
		if errors.As(RetryAfter(d, errors.New("x")), &after); after.Delay != want {
			t.Errorf("RetryAfter(%v) waits %v, want %v", d, after.Delay, want)
		}
	}
}

// The session's own rules for strings decide what is a statement in it.
func TestControlIsFoundWithoutStandardStrings(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run, end := attempts(b, func(ctx Context, in charge) error {
		tx := ctx.CompletionTx()
		_, _ = tx.Exec(ctx, `SET LOCAL standard_conforming_strings = off`)
		_, _ = tx.Exec(ctx, `INSERT INTO accounts VALUES ('lost', 0); SELECT '\''; COMMIT; SELECT ''''`)
		return nil
	})
	b.failedOnce(run, end, ReasonTxControl)
}
