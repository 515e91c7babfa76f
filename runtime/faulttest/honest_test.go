package faulttest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

// receiptInput refers to what the step has made.
type receiptInput struct {
	InvoiceID int64
	At        time.Time
}

var (
	receipt = runtime.NewAction[receiptInput]("receipt", runtime.WithQueue("receipts"))
	bill    = runtime.NewStep[order, billed]("bill", runtime.WithMaxOutput(200))
)

type billed struct {
	Invoice int64
	At      time.Time
}

// TestHonestStep: a handler that does all that is right passes, though ids, times and texts differ from run to run.
func TestHonestStep(t *testing.T) {
	e := examine(t, stepSubject(t, bill, StepHandler[order, billed]{
		Migrations: folder, Input: sample,
		Run: func(ctx runtime.Context, in order) (billed, error) {
			var id int64
			if _, err := invoices.Insert(ctx, []any{&id}, in.OrderID, in.Cents); err != nil {
				return billed{}, err
			}
			now := time.Now()
			for _, sku := range []string{"b", "a"} {
				if _, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO lines VALUES ($1, $2, $3)`, id, sku,
					map[string]any{"at": now, "invoice": id, "sku": sku, "tags": []string{}}); err != nil {
					return billed{}, err
				}
			}
			if err := payments.Record(ctx, in.OrderID, in.Cents); err != nil {
				return billed{}, err
			}
			if _, err := ctx.CompletionTx().Exec(ctx, `UPDATE counters SET count = count + 1`); err != nil {
				return billed{}, err
			}
			_, err := runtime.EnqueueActionCompletion(ctx, receipt, receiptInput{id, now})
			return billed{id, now}, err
		},
	}))
	e.passes()
}

// shop is a receiver with a database of its own.
type shop struct {
	pool *pgxpool.Pool
	node *runtime.Action[order]
}

// sell notes each attempt, reads a price through the pool, puts a savepoint around what may fail, and enqueues a step of
// its own kind.
func (s *shop) sell(ctx runtime.Context, in order) error {
	if _, err := s.pool.Exec(ctx, `INSERT INTO journal VALUES ('attempt', $1)`, ctx.Attempt()); err != nil {
		return err
	}
	var price int64
	if err := s.pool.QueryRow(ctx, `SELECT count FROM counters WHERE name = 'price'`).Scan(&price); err != nil {
		return err
	}
	tx := ctx.CompletionTx()
	for _, sql := range []string{`SAVEPOINT tried`, `INSERT INTO counters VALUES ('price', 1)`, `ROLLBACK TO SAVEPOINT tried`} {
		if _, err := tx.Exec(ctx, sql); err != nil && sql[0] != 'I' {
			return err
		}
	}
	if err := payments.Record(ctx, in.OrderID, in.Cents*price); err != nil {
		return err
	}
	_, err := runtime.EnqueueActionCompletion(ctx, s.node, order{in.OrderID + "/more", 1})
	return err
}

// TestHonestMethod: a fixture prepares the database once and binds the receiver; the log of attempts is left out.
func TestHonestMethod(t *testing.T) {
	node := runtime.NewAction[order]("sell")
	e := examine(t, actionSubject(t, node, Handler[order]{
		Migrations: folder, Ignore: []string{"journal"}, Other: order{"o-1", 5},
		Fixture: func(f *F) (func(runtime.Context, order) error, order) {
			if f.First {
				if _, err := f.Pool.Exec(f.Context(), `INSERT INTO counters VALUES ('price', 3)`); err != nil {
					f.Fatalf("%v", err)
				}
			}
			return (&shop{f.Pool, node}).sell, sample
		},
	}), unlessLong("an error", "killed before", "killed after", "the key of", "enqueued", "reply lost", "offered")...)
	e.passes()
	if _, n := e.problems("the key of an earlier payload"); n != 1 {
		t.Errorf("%d faults with another payload, want the one that Other gives", n)
	}
}

// TestHonestKeys: the same order in another run finds its row, and refuses another amount.
func TestHonestKeys(t *testing.T) {
	e := examine(t, actionSubject(t, runtime.NewAction[order]("keyed"), Handler[order]{
		Migrations: folder, Input: sample,
		Run: func(ctx runtime.Context, in order) error { return invoices.Record(ctx, in.OrderID, in.Cents) },
	}), "the key of an earlier payload", "enqueued again")
	e.passes()
	want := map[string]string{
		"the key of an earlier payload, with another Cents":   "discarded payload_mismatch",
		"the key of an earlier payload, with another OrderID": "completed ",
	}
	for _, r := range e.rows {
		if end := want[r.Fault]; end != "" && end != r.State+" "+r.Reason {
			t.Errorf("%s: the step is %s %s, want %s", r.Fault, r.State, r.Reason, end)
		}
		delete(want, r.Fault)
	}
	if len(want) > 0 {
		t.Errorf("not tried: %v", want)
	}
}

// TestHonestPermanent: an input that a handler refuses for good is no fault of its.
func TestHonestPermanent(t *testing.T) {
	e := examine(t, actionSubject(t, runtime.NewAction[order]("choosy"), Handler[order]{
		Migrations: folder, Input: sample,
		Run: func(ctx runtime.Context, in order) error {
			if in.OrderID != sample.OrderID {
				return runtime.Permanent(errors.New("no such order"))
			}
			return payments.Record(ctx, in.OrderID, in.Cents)
		},
	}), "the key of an earlier payload")
	e.passes()
}

// TestNoTables: a handler that writes nothing, and whose input is nothing, can be tried as well.
func TestNoTables(t *testing.T) {
	e := examine(t, stepSubject(t, runtime.NewStep[struct{}, string]("nothing"), StepHandler[struct{}, string]{
		Run: func(runtime.Context, struct{}) (string, error) { return "", nil },
	}))
	e.passes()
	if len(e.rows) < 25 {
		t.Errorf("only %d faults", len(e.rows))
	}
}

// TestOutputOfTheAttempt: an output is compared as well.
func TestOutputOfTheAttempt(t *testing.T) {
	e := examine(t, stepSubject(t, runtime.NewStep[order, string]("tell"), StepHandler[order, string]{
		Input: sample,
		Run:   func(ctx runtime.Context, _ order) (string, error) { return fmt.Sprint("attempt ", ctx.Attempt()), nil },
	}), "an error after the write", "killed before the write")
	e.finds("an error after the write", `the step's output: other values than without the fault`+"\n"+`  ~ output is "attempt 2", without the fault it is "attempt 1"`)
	if all, _ := e.problems("killed"); all != "" {
		t.Error(all)
	}
}

// TestInputThatDoesNotComeBack: what JSON leaves out is lost on the way to the handler.
func TestInputThatDoesNotComeBack(t *testing.T) {
	type input struct{ When odd }
	e := examine(t, actionSubject(t, runtime.NewAction[input]("odd"), Handler[input]{
		Run: func(runtime.Context, input) error { return nil }, Input: input{odd{7}},
	}), "no fault")
	if len(e.free) != 1 || e.free[0] != `the input does not come back from JSON as it went in: {"When":7} became {"When":0} (<nil>)` {
		t.Errorf("found %q", e.free)
	}
}

// odd is written and not read.
type odd struct{ n int }

func (o odd) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(o.n)), nil }
func (*odd) UnmarshalJSON([]byte) error    { return nil }

// TestIgnoreNamesATable: a table that is not there is a mistake in the test.
func TestIgnoreNamesATable(t *testing.T) {
	e := examine(t, actionSubject(t, runtime.NewAction[order]("a"), Handler[order]{
		Migrations: folder, Input: sample, Ignore: []string{"journal", "jounal"},
		Run: func(runtime.Context, order) error { return nil },
	}), "no fault")
	if len(e.free) != 1 || e.free[0] != `there is no table "jounal" to ignore` {
		t.Errorf("found %q", e.free)
	}
}

// TestUnusualSchema: tables of other schemas, of every kind, with keys that the database makes up.
func TestUnusualSchema(t *testing.T) {
	e := examine(t, actionSubject(t, runtime.NewAction[order]("unusual"), Handler[order]{
		Fixture: func(f *F) (func(runtime.Context, order) error, order) {
			if f.First {
				if _, err := f.Pool.Exec(f.Context(), `CREATE SCHEMA "Odd ""one"""; SET LOCAL search_path = "Odd ""one""";
					CREATE TABLE "Events" (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), day date NOT NULL, body json, raw bytea, n numeric, f float8,
						at timestamptz DEFAULT clock_timestamp(), twice bigint GENERATED ALWAYS AS (7 * 2) STORED);
					CREATE TABLE parts (id smallserial, day date NOT NULL, event uuid REFERENCES "Events") PARTITION BY RANGE (day);
					CREATE TABLE parts_all PARTITION OF parts DEFAULT;
					CREATE VIEW seen AS SELECT * FROM parts`); err != nil {
					f.Fatalf("%v", err)
				}
			}
			return func(ctx runtime.Context, in order) error {
				_, err := ctx.CompletionTx().Exec(ctx, `WITH e AS (INSERT INTO "Odd ""one"""."Events" (day, body, raw, n, f)
					VALUES ('2026-01-01', '{"a": 1, "a": [2]}', '\x00ff', 'NaN', '-Infinity') RETURNING id)
					INSERT INTO "Odd ""one""".parts (day, event) SELECT '2026-01-01', id FROM e`)
				return err
			}, sample
		},
	}), "an error", "reply lost", "killed after the write", "a serialization failure")
	e.passes()
	if _, n := e.problems("an error at a write to Odd \"one\".parts"); n != 1 {
		t.Error("the partitioned table is not among those that are written to")
	}
}

// TestHonestCalls: a handler that calls a provider passes, whatever that offers. What it offers matters to what befalls the
// call; the rest is tried with one that offers all.
func TestHonestCalls(t *testing.T) {
	for name, pay := range ways {
		t.Run(name, func(t *testing.T) {
			var only []string
			if name != "both" {
				only = unlessLong("pay", "killed when", "killed twice", "killed after", "an error after", "timeout after", "reply lost")
			}
			e := examine(t, stepSubject(t, runtime.NewStep[order, string]("buy"), StepHandler[order, string]{
				Migrations: folder, Input: sample,
				Run: func(ctx runtime.Context, in order) (string, error) {
					r, err := pay.Call(ctx, in, provider.Item(in.OrderID))
					if err != nil {
						return "", fmt.Errorf("paying: %w", err)
					}
					return *r.Status, payments.Record(ctx, r.ID, in.Cents)
				},
			}), only...)
			e.passes()
		})
	}
}

// TestHonestCommands: a handler that queues commands passes.
func TestHonestCommands(t *testing.T) {
	e := examine(t, actionSubject(t, runtime.NewAction[order]("announce"), Handler[order]{
		Migrations: folder, Input: sample,
		Run: func(ctx runtime.Context, in order) error {
			if err := payments.Record(ctx, in.OrderID, in.Cents); err != nil {
				return err
			}
			for _, kind := range []string{"paid", "shipped"} {
				if err := queueWebhook(ctx, webhook{"https://customer.invalid/hook", kind, []byte(in.OrderID)}); err != nil {
					return err
				}
			}
			w := webhook{"https://carrier.invalid", "order", []byte(in.OrderID)}
			return webhooks.QueueTx(ctx, ctx.CompletionTx(), ctx.RunID(), w.URL, w.Kind, w.Payload)
		},
	}), unlessLong("a command", "a relay", "request lost: the", "reply lost", "killed before", "killed after", "an error", "the key of",
		"the lease runs out after", "cancelled", "a serialization failure")...)
	e.passes()
}

// TestHonestRefund: a handler that takes a call back passes if it knows that it may have done so before, and so does one
// that goes on without a call that is rejected.
func TestHonestRefund(t *testing.T) {
	pay := ways["window"]
	e := examine(t, actionSubject(t, runtime.NewAction[order]("refund"), Handler[order]{
		Migrations: folder, Input: sample,
		Run: func(ctx runtime.Context, in order) error {
			_, err := pay.Call(ctx, in)
			if errors.Is(err, provider.ErrRejected) || errors.Is(err, provider.ErrCompensated) {
				return nil
			}
			if err != nil {
				return err
			}
			return pay.Undo(ctx)
		},
	}), unlessLong("pay", "the undo", "killed when", "killed twice", "killed after", "an error", "timeout after", "reply lost",
		"the lease runs out after", "cancelled")...)
	e.passes()
}

// TestHonestRetry: a handler that makes a new try, with a key of its own, after a rejection.
func TestHonestRetry(t *testing.T) {
	pay := ways["both"]
	e := examine(t, actionSubject(t, runtime.NewAction[order]("retry"), Handler[order]{
		Migrations: folder, Input: sample,
		Run: func(ctx runtime.Context, in order) error {
			_, err := pay.Call(ctx, in, provider.NextGeneration())
			if errors.Is(err, provider.ErrRejected) {
				return errors.New("declined, and tried once more")
			}
			return err
		},
	}), "pay", "killed when pay", "an error after the write")
	e.passes()
	for _, r := range e.rows {
		if r.Fault == "pay rejects" && (r.State != "completed" || r.Attempt != 2 || r.Requests != 2 || r.Outside != 1 || r.Outcome != "as the handler decides") {
			t.Errorf("after a rejection: %+v", r)
		}
	}
}

// TestHonestTwo: a handler that asks two providers one after the other, and gives up if the second one rejects.
func TestHonestTwo(t *testing.T) {
	pay := ways["window"]
	ship := provider.Define("ship", realPay, provider.WithLookup(realFind))
	e := examine(t, actionSubject(t, runtime.NewAction[order]("two"), Handler[order]{
		Migrations: folder, Input: sample,
		Run: func(ctx runtime.Context, in order) error {
			if _, err := pay.Call(ctx, in); err != nil {
				return err
			}
			_, err := ship.Call(ctx, in)
			return err
		},
	}), "pay", "ship", "killed when", "an error at every attempt")
	e.passes()
	if _, n := e.problems("ship"); n != 6 {
		t.Errorf("%d faults befall the second provider, want 6", n)
	}
	for _, r := range e.rows {
		if r.Fault == "ship rejects" && (r.State != "discarded" || r.Requests != 2 || r.Outside != 1 || r.Outcome != outcomeOutside) {
			t.Errorf("after the second one's rejection: %+v", r)
		}
	}
}

// TestHonestCancellation: a handler that takes back what another step has done.
func TestHonestCancellation(t *testing.T) {
	const run, node = "run_1", "buy"
	e := examine(t, actionSubject(t, runtime.NewAction[order]("cancel"), Handler[order]{
		Migrations: folder,
		Fixture: func(f *F) (func(runtime.Context, order) error, order) {
			if f.First {
				f.Called("pay", run, node, paid{ID: "p-1"})
			}
			return func(ctx runtime.Context, _ order) error { return ways["both"].Undo(ctx, provider.Of(run, node)) }, sample
		},
	}), "killed", "the undo of pay", "an error after the write", "the lease runs out after")
	e.passes()
	if _, n := e.problems("killed twice when the undo of pay was about to be sent"); n != 1 && !testing.Short() {
		t.Error("the compensation was not interrupted twice")
	}
}
