package runtime

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

// A second payload under a key, by every way that leads there. The step is discarded at once, nothing of it is
// written, and the first payload stays.
func TestSecondPayloadFailsClosed(t *testing.T) {
	t.Parallel()
	insert := func(ctx Context, order string, total int64) error {
		_, err := invoices.Insert(ctx, []any{new(int64), new(string), new(int64)}, order, total)
		return err
	}
	for name, handler := range map[string]func(ctx Context) error{
		"recorded twice by one step": func(ctx Context) error {
			return errors.Join(ledger.Record(ctx, "ann", int64(1), nil), ledger.Record(ctx, "ann", int64(2), nil))
		},
		"recorded twice, ignored": func(ctx Context) error {
			_ = ledger.Record(ctx, "ann", int64(1), nil)
			_ = ledger.Record(ctx, "ann", int64(2), nil)
			return nil
		},
		"item recorded twice": func(ctx Context) error {
			return errors.Join(lines.Record(ctx, "a", int64(1)), lines.Record(ctx, "b", int64(1)), lines.Record(ctx, "a", int64(2)))
		},
		"recorded under another run's key": func(ctx Context) error { return invoices.Record(ctx, "taken", int64(2)) },
		"inserted under another run's key": func(ctx Context) error { return insert(ctx, "taken", 2) },
		"inserted and ignored":             func(ctx Context) error { _ = insert(ctx, "taken", 2); return nil },
		"inserted twice by one step":       func(ctx Context) error { return errors.Join(insert(ctx, "fresh", 1), insert(ctx, "fresh", 2)) },
		"flushed by a statement": func(ctx Context) error {
			if err := invoices.Record(ctx, "taken", int64(2)); err != nil {
				return err
			}
			_, err := ctx.CompletionTx().Exec(ctx, `SELECT 1`)
			return err
		},
		"flushed, and ignored": func(ctx Context) error {
			_ = invoices.Record(ctx, "taken", int64(2))
			_, _ = ctx.CompletionTx().Exec(ctx, `SELECT 1`)
			return nil
		},
		"recorded, after a direct statement": func(ctx Context) error {
			if _, err := ctx.CompletionTx().Exec(ctx, `SELECT 1`); err != nil {
				return err
			}
			return invoices.Record(ctx, "taken", int64(2))
		},
		"ignored behind a savepoint": func(ctx Context) error {
			tx := ctx.CompletionTx()
			if _, err := tx.Exec(ctx, `SAVEPOINT s`); err != nil {
				return err
			}
			_ = insert(ctx, "taken", 2)
			_, err := tx.Exec(ctx, `ROLLBACK TO s`)
			return err
		},
		"follow-up twice with two inputs": func(ctx Context) error {
			next := NewStep[charge, int]("next")
			if _, err := EnqueueCompletion(ctx, next, charge{"a", 1}); err != nil {
				return err
			}
			_, err := EnqueueCompletion(ctx, next, charge{"a", 2})
			return err
		},
		"follow-up under a taken key": func(ctx Context) error {
			_, err := EnqueueActionCompletion(ctx, receipt, charge{"a", 2}, WithKey("t", "taken"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.exec(`INSERT INTO invoices (run_id, node, payload_digest, order_id, total) VALUES ('other', 'x', sha256('x'), 'taken', 1)`)
			must[Run](t)(receipt.Enqueue(t.Context(), b.client, charge{"a", 1}, WithKey("t", "taken")))
			action := NewAction[charge]("mismatched", WithBackoff(time.Millisecond))
			RegisterAction(b.reg, action, func(ctx Context, in charge) error {
				if err := lines.Record(ctx, "innocent", int64(1)); err != nil {
					return err
				}
				return handler(ctx)
			})
			b.work(slow())
			run := b.charge(action)
			end := b.wait(run)
			b.is(end, StateDiscarded, ReasonPayloadMismatch, 1, 0)
			if !strings.Contains(end.Error, ErrPayloadMismatch.Error()) {
				t.Errorf("the step's error is %q", end.Error)
			}
			if n := b.count(`SELECT (SELECT count(*) FROM ledger) + (SELECT count(*) FROM lines) + (SELECT count(*) FROM invoices WHERE total <> 1 OR order_id <> 'taken')`); n != 0 {
				t.Errorf("%d rows of the refused step", n)
			}
			if n := b.count(`SELECT count(*) FROM idem.steps WHERE node IN ('next', 'receipt') AND input->>'Amount' <> '1'`); n != 0 || b.steps() != 2 {
				t.Errorf("%d steps, %d of them with the second input", b.steps(), n)
			}
			if e := b.saw(EventDiscarded, 1)[0]; e.Reason != ReasonPayloadMismatch || !errors.Is(e.Err, ErrPayloadMismatch) {
				t.Errorf("the observer was told %+v", e)
			}
		})
	}
}

// The error says which of several follow-ups was refused.
func TestMismatchNamesItsRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	taken := must[Run](t)(receipt.Enqueue(t.Context(), b.client, charge{"a", 1}, WithKey("t", "taken")))
	action := NewAction[charge]("mismatched")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		for _, key := range []string{"free", "taken", "also free"} {
			if _, err := EnqueueActionCompletion(ctx, receipt, charge{"a", 2}, WithKey("t", key)); err != nil {
				return err
			}
		}
		return nil
	})
	b.work(slow())
	b.is(b.wait(b.charge(action)), StateDiscarded, ReasonPayloadMismatch, 1, 0)
	var mismatch *MismatchError
	if err := b.saw(EventDiscarded, 1)[0].Err; !errors.As(err, &mismatch) || mismatch.RunID != taken.ID || mismatch.Node != "receipt" {
		t.Errorf("%v does not name run %s", err, taken.ID)
	}
	var pg *pgconn.PgError
	if !errors.As(mismatch, &pg) || pg.ConstraintName != store.InputGuard {
		t.Error("the database's own error is not behind it")
	}
}

// The same payload under the same key is no error, however often and from whom.
func TestSamePayloadIsNoError(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("again")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		next := NewStep[charge, int]("next")
		for range 2 {
			if err := errors.Join(recordCharge(ctx, in), lines.Record(ctx, "a", int64(1)), lines.Record(ctx, "b", int64(1)), invoices.Record(ctx, "order", int64(1))); err != nil {
				return err
			}
			if _, err := EnqueueCompletion(ctx, next, in); err != nil {
				return err
			}
			if _, err := EnqueueActionCompletion(ctx, receipt, in, WithKey("t", "k")); err != nil {
				return err
			}
			if inserted, err := invoices.Insert(ctx, []any{new(int64), new(string), new(int64)}, "order", int64(1)); err != nil || inserted {
				return errors.Join(errors.New("the row is inserted again"), err)
			}
		}
		return nil
	})
	b.work(slow())
	for range 2 {
		b.is(b.wait(b.charge(action)), StateCompleted, "", 1, 0)
	}
	for sql, want := range map[string]int{
		`SELECT count(*) FROM ledger`: 2, `SELECT count(*) FROM lines`: 4, `SELECT count(*) FROM invoices`: 1,
		`SELECT count(*) FROM idem.steps WHERE node = 'next'`: 2, `SELECT count(*) FROM idem.steps WHERE node = 'receipt'`: 1,
	} {
		if got := b.count(sql); got != want {
			t.Errorf("%s gives %d, want %d", sql, got, want)
		}
	}
}

// F42: business keys that look alike stay apart.
func TestF42_KeysThatLookAlikeStayApart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	keys := []string{"a", "A", "a ", " a", "é", "e\u0301", "", "%", "_", "'", `"`, "$1", strings.Repeat("k", 1024), "a\n", "ａ"}
	action := NewAction[string]("keyed")
	RegisterAction(b.reg, action, func(ctx Context, key string) error { return invoices.Record(ctx, key, int64(1)) })
	b.work(slow())
	for _, run := range must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, keys, nil)) {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
	if n := b.count(`SELECT count(*) FROM invoices`); n != len(keys) {
		t.Errorf("%d rows for %d keys", n, len(keys))
	}
}

// Outside of a handler the effects refuse their service.
func TestEffectsNeedAHandler(t *testing.T) {
	t.Parallel()
	var none Context
	if _, err := step.Of(none); !errors.Is(err, ErrNotInHandler) {
		t.Errorf("nil context: %v", err)
	}
	if _, err := step.Of(t.Context()); !errors.Is(err, ErrNotInHandler) {
		t.Errorf("foreign context: %v", err)
	}
}
