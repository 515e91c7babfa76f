package runtime

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// mode is a way in which people run pgx and the worker.
type mode struct {
	exec   pgx.QueryExecMode
	worker func(*Config)
}

var modes = map[string]mode{
	"cache statement":  {pgx.QueryExecModeCacheStatement, func(*Config) {}},
	"cache describe":   {pgx.QueryExecModeCacheDescribe, func(*Config) {}},
	"describe exec":    {pgx.QueryExecModeDescribeExec, func(*Config) {}},
	"exec":             {pgx.QueryExecModeExec, func(*Config) {}},
	"poll only":        {pgx.QueryExecModeCacheStatement, func(c *Config) { c.PollOnly = true }},
	"pooler, exec":     {pgx.QueryExecModeExec, func(c *Config) { c.Pooler = true }},
	"pooler, describe": {pgx.QueryExecModeCacheDescribe, func(c *Config) { c.Pooler = true }},
}

// Everything basic works in every mode.
func TestModes(t *testing.T) {
	for name, m := range modes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			cfg := b.pool.Config()
			cfg.ConnConfig.DefaultQueryExecMode = m.exec
			pool := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
			t.Cleanup(pool.Close)
			basics(t, b, pool, m)
		})
	}
}

// basics takes a worker through the ordinary paths, and the usual refusals.
func basics(t *testing.T, b *bench, pool *pgxpool.Pool, m mode) {
	b.client = NewClient(pool, WithClientLogger(slog.New(slog.DiscardHandler)))
	for _, way := range []string{recorded, direct} {
		RegisterAction(b.reg, NewAction[charge](way), charger(way, pool))
	}
	step := NewStep[charge, everything]("step", WithMaxReclaims(5), WithBackoff(time.Millisecond))
	RegisterStep(b.reg, step, func(ctx Context, in charge) (out everything, err error) {
		var id int64
		if _, err := invoices.Insert(ctx, []any{&id, new(string), new(int64)}, in.User, in.Amount); err != nil {
			return out, err
		}
		if err := lines.Record(ctx, "é'\"", in.Amount); err != nil {
			return out, err
		}
		if ctx.Attempt() == 1 {
			return out, errors.New("once, with a text: é \x00")
		}
		return everything{Int: id, Text: "é", Bytes: []byte{0}}, nil
	})
	bad := NewAction[charge]("bad", WithMaxAttempts(1))
	RegisterAction(b.reg, bad, func(ctx Context, in charge) error { return ledger.Record(ctx, "x", int64(-1), nil) })
	unencodable := NewAction[charge]("unencodable", WithMaxAttempts(1))
	RegisterAction(b.reg, unencodable, func(ctx Context, in charge) error {
		if in.Amount == 2 { // through the handler's own transaction
			if _, err := ctx.CompletionTx().Exec(ctx, `SELECT 1`); err != nil {
				return err
			}
		}
		return ledger.Record(ctx, "x", make(chan int), nil)
	})
	mismatched := NewAction[charge]("mismatched", WithMaxAttempts(1))
	RegisterAction(b.reg, mismatched, func(ctx Context, in charge) error { return invoices.Record(ctx, "taken", in.Amount) })
	b.exec(`INSERT INTO invoices (run_id, node, payload_digest, order_id, total) VALUES ('other', 'x', sha256('x'), 'taken', 1)`)

	worker := slow()
	m.worker(&worker)
	stop, w := b.workOn(pool, worker)
	ctx := t.Context()
	runs := must[[]Run](t)(NewAction[charge](recorded).EnqueueMany(ctx, b.client, charges(30, func(i int) int64 { return int64(i) }),
		func(in charge) []EnqueueOption { return []EnqueueOption{WithKey("t", in.User)} }))
	for _, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
	b.exec(`DELETE FROM idem.steps WHERE node = 'receipt'`)
	run := must[Run](t)(NewAction[charge](direct).Enqueue(ctx, b.client, charge{"ann", amount}, WithKey("t", "k")))
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	b.written(run, direct, 1)
	if again := must[Run](t)(NewAction[charge](direct).Enqueue(ctx, b.client, charge{"ann", amount}, WithKey("t", "k"))); !again.Duplicate || again.ID != run.ID {
		t.Errorf("again: %+v", again)
	}
	if _, err := NewAction[charge](direct).Enqueue(ctx, b.client, charge{"ann", 1}, WithKey("t", "k")); !errors.Is(err, ErrPayloadMismatch) {
		t.Errorf("another input gives %v", err)
	}
	stepRun := must[Run](t)(step.Enqueue(ctx, b.client, charge{"order", 1}))
	if out := must[everything](t)(step.Output(ctx, b.client, stepRun)); out.Text != "é" || out.Int == 0 {
		t.Errorf("output %+v", out)
	}
	b.is(b.now(stepRun), StateCompleted, "", 2, 0)
	b.is(b.wait(b.charge(bad)), StateDiscarded, ReasonAttemptsExhausted, 1, 0)
	for n := range 2 {
		end := b.wait(must[Run](t)(unencodable.Enqueue(ctx, b.client, charge{"ann", int64(n + 1)})))
		if end.State != StateDiscarded || end.Attempt != 1 {
			t.Errorf("unencodable: %+v", end)
		}
	}
	b.is(b.wait(must[Run](t)(mismatched.Enqueue(ctx, b.client, charge{"ann", 2}))), StateDiscarded, ReasonPayloadMismatch, 1, 0)
	cancelled := must[Run](t)(step.Enqueue(ctx, b.client, charge{"later", 1}, WithDelay(time.Hour)))
	if n := must[int](t)(b.client.Cancel(ctx, cancelled.ID, "")); n != 1 {
		t.Errorf("cancelled %d", n)
	}
	if n := must[int](t)(b.client.Retry(ctx, cancelled.ID, "")); n != 0 {
		t.Errorf("retried %d cancelled steps", n)
	}
	if err := w.held.Renew(ctx, w.cfg.Lease); err != nil {
		t.Error(err)
	}
	if err := w.sweeper.Sweep(beginning); err != nil {
		t.Error(err)
	}
	stop()
	if listening := len(b.events.of(EventUnreachable)); listening != 0 {
		t.Errorf("%d times something could not reach the database: %v", listening, b.events.of(EventUnreachable)[0])
	}
}

// Without session state a pooler may put any transaction onto any connection: the worker sets none.
func TestPoolerModeKeepsNoSessionState(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cfg := b.pool.Config()
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	cfg.ConnConfig.RuntimeParams["application_name"] = "pooled"
	pool := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
	t.Cleanup(pool.Close)
	idle := make(chan string, 1)
	action := NewAction[charge]("pooled")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		var inside string
		if err := ctx.CompletionTx().QueryRow(ctx, `SHOW idle_in_transaction_session_timeout`).Scan(&inside); err != nil {
			return err
		}
		idle <- inside
		return nil
	})
	worker := slow()
	worker.Pooler = true
	_, w := b.workOn(pool, worker)
	b.is(b.wait(b.charge(action)), StateCompleted, "", 1, 0)
	if got := <-idle; got == "0" {
		t.Error("the handler's transaction may stay idle without end")
	}
	var outside string
	if err := w.host.Handlers.QueryRow(t.Context(), `SHOW idle_in_transaction_session_timeout`).Scan(&outside); err != nil || outside != "0" {
		t.Errorf("the session was left with a timeout of %s, %v", outside, err)
	}
	if n := b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`); n != 0 {
		t.Errorf("%d connections listen", n)
	}
	var prepared int
	if err := w.host.Handlers.QueryRow(t.Context(), `SELECT count(*) FROM pg_prepared_statements`).Scan(&prepared); err != nil || prepared != 0 {
		t.Errorf("%d prepared statements, %v", prepared, err)
	}
}

// Every schema name serves, also one that has to be quoted, and two of them in one database know nothing of
// each other.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{"quoted": `We"ird 'schema; --`, "long": strings.Repeat("s", 63)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if err := migrateSchema(t.Context(), b.pool, schema); err != nil {
				t.Fatal(err)
			}
			b.client = NewClient(b.pool, WithSchema(schema))
			action := NewAction[charge]("elsewhere")
			RegisterAction(b.reg, action, recordCharge)
			cfg := slow()
			cfg.Schema, cfg.Poll = schema, time.Minute // notifications find it
			b.work(cfg)
			run := b.charge(action)
			b.is(b.wait(run), StateCompleted, "", 1, 0)
			b.effects(run, 1)
			if n := b.steps(); n != 0 {
				t.Errorf("%d steps in the default schema", n)
			}
		})
	}
}

// A queue has its own concurrency, and a busy one does not keep another from working.
func TestQueuesHaveTheirOwnConcurrency(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	free := make(chan struct{})
	slowly, quickly := NewAction[charge]("slowly", WithQueue("slow lane")), NewAction[charge]("quickly", WithQueue(`fast "lane"`))
	RegisterAction(b.reg, slowly, func(ctx Context, in charge) error { <-free; return recordCharge(ctx, in) })
	RegisterAction(b.reg, quickly, recordCharge)
	cfg := slow()
	cfg.Queues = map[string]int{"slow lane": 3, `fast "lane"`: 2}
	b.work(cfg)
	must[[]Run](t)(slowly.EnqueueMany(t.Context(), b.client, make([]charge, 10), nil))
	running := func() int {
		return b.count(`SELECT count(*) FROM idem.steps WHERE node = 'slowly' AND state = 'running'`)
	}
	b.eventually("the slow lane is full", func() bool { return running() == 3 })
	for range 5 {
		b.is(b.wait(b.charge(quickly)), StateCompleted, "", 1, 0)
	}
	if n := running(); n != 3 {
		t.Errorf("%d steps of the slow lane run, want 3", n)
	}
	close(free)
	b.eventually("all have ended", func() bool { return b.count(`SELECT count(*) FROM idem.steps WHERE finished_at IS NULL`) == 0 })
}

// Notifications make a worker start at once that would poll late; without them it polls.
func TestNotifiedWorkerDoesNotWaitForThePoll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action, follow := NewAction[charge]("notified"), NewAction[charge]("followed", WithQueue("other"))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		_, err := EnqueueActionCompletion(ctx, follow, in)
		return err
	})
	RegisterAction(b.reg, follow, recordCharge)
	cfg := slow()
	cfg.Poll = time.Hour
	b.work(cfg)
	before := time.Now()
	for i := range 3 {
		b.is(b.wait(must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 1}, WithKey("", fmt.Sprint(i))))), StateCompleted, "", 1, 0)
	}
	b.eventually("the follow-ups ran", func() bool { return b.count(`SELECT count(*) FROM ledger`) == 3 })
	if took := time.Since(before); took > cfg.Poll/2 {
		t.Errorf("it took %v", took)
	}
}
