package step_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/pgtest"
)

// These tests are a host that is no worker: a program with a transaction and a job of its own, as an HTTP handler or another
// queue has. It has no lease, and there is no row of the steps' table behind what it runs.

const ledgerTable = `CREATE TABLE ledger (
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT ledger_payload_check CHECK (octet_length(payload_digest) = 32),
    amount bigint NOT NULL CHECK (amount >= 0),
    CONSTRAINT ledger_idem_key PRIMARY KEY (run_id, node));
CREATE TABLE accounts (name text PRIMARY KEY, balance bigint NOT NULL);
CREATE TABLE jobs (id bigint PRIMARY KEY, token text NOT NULL, done boolean NOT NULL DEFAULT false);
INSERT INTO accounts VALUES ('ann', 0);
INSERT INTO jobs VALUES (1, 'mine');`

var ledger = idemimpl.Effect{
	Table: `"ledger"`, Columns: []string{"amount"}, Guard: "ledger_payload_check",
	InsertSQL: `INSERT INTO "ledger" AS t ("run_id", "node", "payload_digest", "amount")
VALUES ($1::text, $2::text, $3::bytea, $4::bigint)
ON CONFLICT ("run_id", "node") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
}

func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	files, err := filepath.Glob("../../../migrations/*.sql")
	if err != nil {
		return err
	}
	statements := []string{`CREATE SCHEMA "idem"`, ledgerTable}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		up, _, _ := strings.Cut(string(file), "-- +goose Down")
		statements = append(statements, up)
	}
	for _, sql := range statements {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// program is the host.
type program struct {
	*testing.T
	pool *pgxpool.Pool
	host *step.Host

	mu     sync.Mutex
	events []lifecycle.Kind
}

func newProgram(t *testing.T) *program {
	t.Helper()
	p := &program{T: t, pool: pgtest.New(t, pgtest.Migrated("step", migrate))}
	p.host = &step.Host{
		Session: &store.Session{
			SQL: store.NewStatements(store.DefaultSchema), Schema: store.DefaultSchema, Log: slog.New(slog.DiscardHandler),
			Observer: p.observe, Within: time.Minute, Handlers: p.pool, Control: p.pool, Aside: p.pool,
		},
		Name: "program", Steps: context.Background(), Lasting: context.Background(), Grace: 100 * time.Millisecond,
	}
	return p
}

func (p *program) observe(e lifecycle.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, e.Kind)
}

func (p *program) saw(kind lifecycle.Kind) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.events {
		if k == kind {
			return true
		}
	}
	return false
}

type handler func(ex *step.Execution, in []byte) ([]byte, error)

// step is one for h, with a timeout that is not reached unless the test says so.
func (p *program) step(h handler, timeout time.Duration) *step.Step {
	return &step.Step{
		RunID: "order-7", Node: "charge", Attempt: 1, MaxAttempts: 3, Input: []byte(`"in"`),
		Handler: &step.Handler{Node: "charge", Queue: "none", Timeout: timeout, Backoff: time.Second, Run: h},
	}
}

// run executes h in a transaction of the program's, and commits or rolls back as the outcome says.
func (p *program) run(h handler, fence step.Fence) step.Outcome {
	p.Helper()
	return p.runStep(p.step(h, time.Minute), fence)
}

func (p *program) runStep(s *step.Step, fence step.Fence) step.Outcome {
	p.Helper()
	ctx := context.Background()
	tx, err := p.pool.Begin(ctx)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	o := step.RunIn(p.host, s, tx, fence)
	if o.Kind == step.Completed {
		if n := p.count(`SELECT count(*) FROM ledger`) + p.count(`SELECT balance FROM accounts`); n != 0 {
			p.Errorf("%d writes can be seen before the commit", n)
		}
		if err := tx.Commit(ctx); err != nil {
			p.Fatal(err)
		}
	}
	return o
}

func (p *program) count(sql string) (n int) {
	p.Helper()
	if err := p.pool.QueryRow(context.Background(), sql).Scan(&n); err != nil {
		p.Fatal(err)
	}
	return n
}

// wrote checks what is committed of a handler that records a row and adds to an account.
func (p *program) wrote(want int) {
	p.Helper()
	if rows, balance := p.count(`SELECT count(*) FROM ledger`), p.count(`SELECT balance FROM accounts`); rows != want || balance != want {
		p.Errorf("%d ledger rows, balance %d, want %d each", rows, balance, want)
	}
}

// charge records a row, and writes with a statement of its own.
func charge(ex *step.Execution, _ []byte) ([]byte, error) {
	if err := ledger.Record(ex, int64(5)); err != nil {
		return nil, err
	}
	_, err := ex.Tx().Exec(ex, `UPDATE accounts SET balance = balance + 1`)
	return []byte(`"out"`), err
}

// noWorker checks that the steps' table was not used.
func (p *program) noWorker() {
	p.Helper()
	if n := p.count(`SELECT count(*) FROM idem.steps`); n != 0 {
		p.Errorf("%d steps are in the worker's table", n)
	}
}

func TestCompletedInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	o := p.run(charge, nil)
	if o.Kind != step.Completed || string(o.Output) != `"out"` || o.State() != lifecycle.StateCompleted || o.Event() != lifecycle.EventCompleted {
		t.Fatalf("%+v", o)
	}
	p.wrote(1)
	p.noWorker()
}

// What only records sends nothing until the end, and is there all the same.
func TestRecordedInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	record := func(ex *step.Execution, in []byte) ([]byte, error) {
		if string(in) != `"in"` || ex.RunID() != "order-7" || ex.Node() != "charge" || ex.Attempt() != 1 {
			return nil, fmt.Errorf("it is given %s, %s, %s, %d", in, ex.RunID(), ex.Node(), ex.Attempt())
		}
		return nil, ledger.Record(ex, int64(5))
	}
	if o := p.run(record, nil); o.Kind != step.Completed {
		t.Fatalf("%+v", o)
	}
	if n := p.count(`SELECT count(*) FROM ledger`); n != 1 {
		t.Errorf("%d rows", n)
	}
	p.noWorker()
}

// Steps that a step enqueues come with the caller's commit, and go with its rollback.
func TestFollowUpsInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	follow := func(ex *step.Execution, _ []byte) ([]byte, error) {
		return nil, ex.Follow(step.Write{
			SQL: ex.Host.SQL.Insert, Node: "receipt", Wakes: "default",
			Args: []any{"sub_1", "receipt", "default", 3, nil, nil, int64(0), "{}", make([]byte, 32)},
		})
	}
	failing := func(ex *step.Execution, in []byte) ([]byte, error) {
		_, err := follow(ex, in)
		return nil, errors.Join(err, errors.New("no"))
	}
	if o := p.run(failing, nil); o.Kind != step.Retried || p.count(`SELECT count(*) FROM idem.steps`) != 0 {
		t.Errorf("%+v left a step", o)
	}
	if o := p.run(follow, nil); o.Kind != step.Completed || p.count(`SELECT count(*) FROM idem.steps`) != 1 {
		t.Errorf("%+v left no step", o)
	}
}

// Whoever listens hears of it with the commit, and of a rollback nothing.
func TestFollowUpsAreAnnounced(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	conn, err := pgx.ConnectConfig(t.Context(), p.pool.Config().ConnConfig.Copy())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(), `LISTEN `+p.host.SQL.Channel); err != nil {
		t.Fatal(err)
	}
	follow := func(run string, err error) handler {
		return func(ex *step.Execution, _ []byte) ([]byte, error) {
			for _, queue := range []string{run, run, ""} {
				if err := ex.Follow(step.Write{
					SQL: ex.Host.SQL.Insert, Node: "receipt", Wakes: queue,
					Args: []any{run + queue, "receipt", run, 3, nil, nil, int64(0), "{}", make([]byte, 32)},
				}); err != nil {
					return nil, err
				}
			}
			return nil, err
		}
	}
	p.run(follow("failed", errors.New("no")), nil)
	p.host.Quiet = true
	p.run(follow("quiet", nil), nil)
	p.host.Quiet = false
	if o := p.run(follow("heard", nil), nil); o.Kind != step.Completed {
		t.Fatalf("%+v", o)
	}
	if _, err := p.pool.Exec(t.Context(), p.host.SQL.Notify, p.host.SQL.Channel, "the end"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"heard", "the end"} {
		n, err := conn.WaitForNotification(t.Context())
		if err != nil || n.Payload != want {
			t.Fatalf("heard %+v, %v, want %s", n, err, want)
		}
	}
}

// Whatever a handler comes back with, the outcome says what is to follow, and nothing of it stays.
func TestOutcomesInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	after := func(err error) handler {
		return func(ex *step.Execution, in []byte) ([]byte, error) {
			_, wrote := charge(ex, in)
			return nil, errors.Join(wrote, err)
		}
	}
	for name, c := range map[string]struct {
		run    handler
		kind   step.Kind
		reason lifecycle.Reason
	}{
		"an error":      {after(errors.New("no")), step.Retried, lifecycle.ReasonError},
		"permanent":     {after(&failure.Permanent{Err: errors.New("no")}), step.Discarded, lifecycle.ReasonPermanent},
		"waiting":       {after(&failure.Waiting{Err: errors.New("not yet"), Delay: time.Hour}), step.Released, lifecycle.ReasonWaiting},
		"a bad input":   {after(&failure.Input{Err: errors.New("no")}), step.Discarded, lifecycle.ReasonInputUndecodable},
		"a lost server": {after(&failure.Interrupted{Err: errors.New("gone")}), step.Released, lifecycle.ReasonInterrupted},
		"a panic": {func(ex *step.Execution, in []byte) ([]byte, error) {
			_, _ = charge(ex, in)
			panic("no")
		}, step.Retried, lifecycle.ReasonPanic},
		"the end of its goroutine": {func(ex *step.Execution, in []byte) ([]byte, error) {
			_, _ = charge(ex, in)
			goruntime.Goexit()
			return nil, nil
		}, step.Retried, lifecycle.ReasonPanic},
		"a swallowed error": {func(ex *step.Execution, in []byte) ([]byte, error) {
			_, err := charge(ex, in)
			_, _ = ex.Tx().Exec(ex, `SELECT 1/0`)
			return nil, err
		}, step.Retried, lifecycle.ReasonTxAborted},
		"a swallowed commit": {func(ex *step.Execution, in []byte) ([]byte, error) {
			_, err := charge(ex, in)
			_, _ = ex.Tx().Exec(ex, `COMMIT`)
			return nil, err
		}, step.Retried, lifecycle.ReasonTxControl},
		"a swallowed mismatch": {func(ex *step.Execution, in []byte) ([]byte, error) {
			_, err := charge(ex, in)
			_ = ledger.Record(ex, int64(6))
			return nil, err
		}, step.Discarded, lifecycle.ReasonPayloadMismatch},
		"a refused row": {func(ex *step.Execution, _ []byte) ([]byte, error) {
			return nil, ledger.Record(ex, int64(-1))
		}, step.Retried, lifecycle.ReasonEffectFailed},
		"a serialization failure": {func(ex *step.Execution, in []byte) ([]byte, error) {
			_, _ = charge(ex, in)
			_, err := ex.Tx().Exec(ex, `DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`)
			return nil, err
		}, step.Released, lifecycle.ReasonInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			o := p.run(c.run, nil)
			if o.Kind != c.kind || o.Reason != c.reason || o.Err == nil {
				t.Errorf("%+v, want kind %d and %s", o, c.kind, c.reason)
			}
			if o.Kind == step.Retried && o.Delay <= 0 {
				t.Errorf("another attempt follows after %v", o.Delay)
			}
			p.wrote(0)
			p.noWorker()
		})
	}
}

func TestLastAttemptInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	s := p.step(func(*step.Execution, []byte) ([]byte, error) { return nil, errors.New("no") }, time.Minute)
	s.Attempt = s.MaxAttempts
	if o := p.runStep(s, nil); o.Kind != step.Discarded || o.Reason != lifecycle.ReasonAttemptsExhausted || o.State() != lifecycle.StateDiscarded {
		t.Errorf("%+v", o)
	}
}

// The host's fence runs last, in the same transaction: it completes the host's own job, or refuses all of it.
func TestFenceInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	done := func(token string) step.Fence {
		return func(b *pgx.Batch) { b.Queue(`UPDATE jobs SET done = true WHERE id = 1 AND token = $1`, token) }
	}
	raised := func(b *pgx.Batch) { b.Queue(`SELECT "idem".lease_lost(0, 1)`) }
	for name, c := range map[string]struct {
		fence step.Fence
		kind  step.Kind
		want  int
	}{
		"held":         {done("mine"), step.Completed, 1},
		"lost":         {done("another's"), step.Lost, 0},
		"lost, raised": {raised, step.Lost, 0},
		"that fails":   {func(b *pgx.Batch) { b.Queue(`SELECT 1/0`) }, step.Retried, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			if o := p.run(charge, c.fence); o.Kind != c.kind {
				t.Errorf("%+v", o)
			}
			p.wrote(c.want)
			if n := p.count(`SELECT count(*) FROM jobs WHERE done`); n != c.want {
				t.Errorf("%d jobs are done, want %d", n, c.want)
			}
		})
	}
}

// A handler that is inside a statement when its time is over is woken, and cannot write any more.
func TestTimeoutInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	late := make(chan error, 2)
	s := p.step(func(ex *step.Execution, in []byte) ([]byte, error) {
		if _, err := charge(ex, in); err != nil {
			return nil, err
		}
		// Not with its own context, which would end the statement.
		_, err := ex.Tx().Exec(context.Background(), `SELECT pg_sleep(600)`)
		late <- ledger.Record(ex, int64(1))
		_, direct := ex.Tx().Exec(context.Background(), `UPDATE accounts SET balance = 100`)
		late <- direct
		return nil, err
	}, 200*time.Millisecond)
	o := p.runStep(s, nil)
	if o.Kind != step.Retried || o.Reason != lifecycle.ReasonTimeout || !errors.Is(o.Err, failure.ErrAttemptTimeout) {
		t.Errorf("%+v", o)
	}
	for range 2 {
		if err := <-late; !errors.Is(err, failure.ErrAttemptEnded) {
			t.Errorf("a late write gives %v", err)
		}
	}
	p.wrote(0)
}

// A handler that does not look at its context is not waited for longer than its grace. What it does later has no effect, and
// the caller's connection is the caller's.
func TestOverrunInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	goOn, late := make(chan struct{}), make(chan error, 2)
	s := p.step(func(ex *step.Execution, in []byte) ([]byte, error) {
		_, err := charge(ex, in)
		<-goOn
		late <- ledger.Record(ex, int64(1))
		_, direct := ex.Tx().Exec(context.Background(), `UPDATE accounts SET balance = 100`)
		late <- direct
		return nil, err
	}, 100*time.Millisecond)
	o := p.runStep(s, nil)
	if o.Kind != step.Retried || o.Reason != lifecycle.ReasonTimeout {
		t.Errorf("%+v", o)
	}
	if !p.saw(lifecycle.EventStuck) {
		t.Error("nobody was told")
	}
	if again := p.run(charge, nil); again.Kind != step.Completed {
		t.Errorf("the next one: %+v", again)
	}
	close(goOn)
	for range 2 {
		if err := <-late; !errors.Is(err, failure.ErrAttemptEnded) {
			t.Errorf("a late write gives %v", err)
		}
	}
	p.wrote(1)
}

// A host with a pool and a fence of its own, and no transaction yet: the execution makes one, and commits it with the fence.
func TestCompleteInATransactionOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run   handler
		token string
		want  int
	}{
		"direct":         {charge, "mine", 1},
		"direct, lost":   {charge, "another's", 0},
		"recorded":       {func(ex *step.Execution, _ []byte) ([]byte, error) { return nil, ledger.Record(ex, int64(5)) }, "mine", 1},
		"recorded, lost": {func(ex *step.Execution, _ []byte) ([]byte, error) { return nil, ledger.Record(ex, int64(5)) }, "another's", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			own := &ownTx{fence: func(b *pgx.Batch) {
				b.Queue(`WITH done AS (UPDATE jobs SET done = true WHERE id = 1 AND token = $1 RETURNING 1)
SELECT CASE WHEN count(*) = 1 THEN 1 ELSE "idem".lease_lost(count(*), 1) END FROM done`, c.token)
			}}
			step.New(p.host, p.step(c.run, time.Minute)).Run(own)
			if lost := failure.Of(errors.Join(own.err, pgx.ErrNoRows)) == failure.LeaseLost; own.outcome.Kind != step.Completed || lost != (c.want == 0) {
				t.Errorf("%+v, %v", own.outcome, own.err)
			}
			if n := p.count(`SELECT count(*) FROM ledger`); n != c.want {
				t.Errorf("%d rows, want %d", n, c.want)
			}
			if n := p.count(`SELECT count(*) FROM jobs WHERE done`); n != c.want {
				t.Errorf("%d jobs are done, want %d", n, c.want)
			}
			p.noWorker()
		})
	}
}

// ownTx completes executions in their own transactions.
type ownTx struct {
	fence   step.Fence
	outcome step.Outcome
	err     error
}

func (o *ownTx) Returned(ex *step.Execution, r step.Return) (again bool) {
	if o.outcome = ex.Conclude(r); o.outcome.Kind == step.Completed {
		o.err = ex.Complete(context.Background(), o.fence)
		ex.Release()
	}
	return false
}

func (o *ownTx) Overran(*step.Execution) {}
