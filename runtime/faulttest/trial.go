package faulttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/wire"
	"github.com/idem-go/idem/runtime/pgtest"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// trial is one fault, tried on a database of its own.
type trial struct {
	*suite
	tb      testing.TB
	ctx     context.Context
	fault   *fault
	limits  limits
	url     string
	pool    *pgxpool.Pool // past the proxy: what the harness asks the database
	proxy   *wire.Proxy   // nil until it is needed
	bound   bound
	ledger  *ledger.Ledger // stands for what the handler reaches outside
	outside *outside       // the way to it
	events  *events
	gate    chan struct{} // closed when the handler may go on, or has come to where it waits
	gone    chan struct{} // closed when a handler that outlived its attempt is back

	mu       sync.Mutex
	status   runtime.StepStatus // as it was seen last
	workers  []*worker
	runs     int // executions of the handler
	fired    bool
	outcome  string // for the table, where only the trial shows it
	early    bool   // something was seen before the step had completed
	problems []string
}

func newTrial(tb testing.TB, s *suite, f *fault) *trial {
	tb.Helper()
	tr := &trial{suite: s, tb: tb, ctx: context.WithoutCancel(tb.Context()), fault: f, limits: s.defaults(), events: newEvents(),
		gate: make(chan struct{}), gone: make(chan struct{})}
	if f.limits != nil {
		f.limits(&tr.limits)
	}
	tr.pool = pgtest.New(tb, s.databases...)
	tr.url = tr.pool.Config().ConnString()
	tr.ledger = startLedger(tb)
	tr.connect(tr.ledger.URL(), &F{TB: tb, Pool: tr.pool})
	tb.Cleanup(tr.stop)
	return tr
}

// connect binds the handler to the trial's database, and to a ledger in place of all that is outside.
func (tr *trial) connect(ledgerURL string, f *F) {
	tr.bound = tr.bind(f)
	receipts := map[string]any{}
	maps.Copy(receipts, tr.receipts)
	maps.Copy(receipts, f.receipts)
	tr.outside = &outside{ledger: ledger.Client{URL: ledgerURL}, receipts: receipts}
}

func startLedger(tb testing.TB) *ledger.Ledger {
	tb.Helper()
	l, err := ledger.Start()
	if err != nil {
		tb.Fatalf("faulttest: %v", err)
	}
	tb.Cleanup(l.Close)
	return l
}

// problem notes that something is not as it must be. Unlike a test's methods it may be called from any goroutine.
func (tr *trial) problem(format string, args ...any) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(tr.problems, text) {
		tr.problems = append(tr.problems, text)
	}
}

func (tr *trial) found() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.problems)
}

// fire notes that the fault has happened.
func (tr *trial) fire() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.fired = true
}

func (tr *trial) hasFired() bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.fired
}

func (tr *trial) executions() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.runs
}

// execution is one run of the handler, in the hands of a fault.
type execution struct {
	*trial
	n     int // from 1
	ctx   runtime.Context
	input json.RawMessage
}

// handler calls the handler itself.
func (x *execution) handler() (any, error) { return x.bound.run(x.ctx, x.input) }

// write calls the handler, and then makes sure that nobody else sees any of its writes yet.
func (x *execution) write() (any, error) {
	out, err := x.handler()
	x.unseen("before the step had completed")
	return out, err
}

// execute is what workers run.
func (tr *trial) execute(ctx runtime.Context, input json.RawMessage) (any, error) {
	if ctx.RunID() != tr.run.ID {
		// The step has enqueued one of its own kind. It stays where it is.
		return nil, runtime.RetryAfter(time.Hour, errors.New("faulttest: only one step is tried"))
	}
	tr.mu.Lock()
	tr.runs++
	x := &execution{tr, tr.runs, ctx, input}
	tr.mu.Unlock()
	if tr.fault.around == nil {
		return x.handler()
	}
	return tr.fault.around(x)
}

// client returns a client of the trial's database.
func (tr *trial) client(db runtime.DB) *runtime.Client {
	return runtime.NewClient(db, runtime.WithClientLogger(discard), runtime.WithoutNotify())
}

// key is what the run is enqueued with: it makes run ids the same in every database.
var key = runtime.WithKey("", "faulttest")

// enqueued enqueues the step, and tells whether that went well.
func (tr *trial) enqueued() bool {
	_, err := tr.enqueue(tr.bound.input)
	if err != nil {
		tr.problem("the step cannot be enqueued: %v", err)
	}
	return err == nil
}

// enqueue adds the run, or finds it.
func (tr *trial) enqueue(input json.RawMessage) (runtime.Run, error) {
	run, err := tr.action().Enqueue(tr.ctx, tr.client(tr.pool), input, key)
	if err == nil && run.ID != tr.run.ID {
		tr.problem("the run is %s, and must be %s: the same key gives the same run", run.ID, tr.run.ID)
	}
	return run, err
}

// enqueueTx is enqueue in a transaction of the caller's.
func (tr *trial) enqueueTx(tx pgx.Tx) (runtime.Run, error) {
	return tr.action().EnqueueTx(tr.ctx, tr.client(tr.pool), tx, tr.bound.input, key)
}

// action is the definition that the trial enqueues with: a step's and an action's rows are the same.
func (tr *trial) action() *runtime.Action[json.RawMessage] {
	return runtime.NewAction[json.RawMessage](tr.node, tr.limits.options(tr.subject.limits.Queue)...)
}

// patience is how long anything may take before a trial gives up on it.
func (s *suite) patience() time.Duration { return 12*time.Second + 5*s.took }

// look reads the step's row.
func (tr *trial) look() runtime.StepStatus {
	s, err := tr.client(tr.pool).Status(tr.ctx, tr.run.ID, tr.run.Node)
	if err != nil {
		tr.problem("the step's row cannot be read: %v", err)
		return runtime.StepStatus{}
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.status = s
	return s
}

// last is the step as it was seen last.
func (tr *trial) last() runtime.StepStatus {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.status
}

// until waits for a condition; false means that it did not come about.
func (tr *trial) until(ok func() bool) bool {
	for end := time.Now().Add(tr.patience()); ; {
		next := tr.events.next()
		if ok() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		select {
		case <-next: // what a worker does is what mostly brings it about
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// await waits for n events of any of the kinds.
func (tr *trial) await(n int, kinds ...runtime.EventKind) bool {
	return tr.events.await(tr.patience(), n, kinds...)
}

// wait returns when the step has ended. What it waits for itself comes about.
func (tr *trial) wait() {
	if !tr.until(func() bool {
		s := tr.look()
		if waits(s) && len(tr.calls) > 0 {
			tr.timePasses()
		}
		return s.State.Ended() || s.State == ""
	}) {
		tr.problem("the step did not end within %v; it is %s", tr.patience(), tr.last().State)
	}
}

// incomplete says how a step has ended that was to complete.
func (tr *trial) incomplete() string {
	s := tr.last()
	text := fmt.Sprintf("the step did not complete without any fault: it is %s (%s)", s.State, s.Reason)
	if s.Error != "" {
		text += "\n  its error: " + firstLines(s.Error)
	}
	if s.State == runtime.StateDiscarded {
		text += "\n  if its input is at fault, let a fixture give one that the handler completes with"
	}
	if tr.events.of(runtime.EventStuck) > 0 {
		text += "\n  the handler does not look at its context: it ran on after its timeout"
	}
	return text
}

// firstLines leaves out most of a stack.
func firstLines(text string) string {
	lines := strings.SplitN(text, "\n", 12)
	return strings.Join(lines[:min(len(lines), 11)], "\n  ")
}

// snapshot reads the tables as they are now.
func (tr *trial) snapshot() snapshot {
	s, err := tr.catalog.read(tr.ctx, tr.pool, tr.run)
	if err != nil {
		tr.problem("the tables cannot be read: %v", err)
	}
	return s
}

// unseen makes sure that the step has left nothing so far. What it finds first is enough.
func (tr *trial) unseen(when string) {
	tr.mu.Lock()
	before := tr.early
	tr.mu.Unlock()
	if before {
		return
	}
	d := tr.compare("before the step").diff(tr.initial, tr.snapshot())
	if d == "" {
		return
	}
	tr.mu.Lock()
	tr.early = true
	tr.mu.Unlock()
	tr.problem("%s, others saw what it wrote: it was not written in the completion transaction, and stays if the step never completes; "+
		"write it by a generated Record function, or through CompletionTx\n%s", when, d)
}

// exec changes something in the trial's database that is the fault's business.
func (tr *trial) exec(sql string, args ...any) {
	if _, err := tr.pool.Exec(tr.ctx, sql, args...); err != nil {
		tr.problem("the fault cannot be prepared: %v", err)
	}
}

// expire lets the lease of the running step be over, as if its worker had not been heard of for long.
func (tr *trial) expire() {
	tr.exec(`UPDATE "idem".steps SET lease_expires_at = clock_timestamp() - interval '1 second'
		WHERE run_id = $1 AND node = $2 AND state = 'running'`, tr.run.ID, tr.run.Node)
}

// due lets the next attempt begin now.
func (tr *trial) due() {
	tr.exec(`UPDATE "idem".steps SET scheduled_at = now() WHERE run_id = $1 AND node = $2`, tr.run.ID, tr.run.Node)
}

// inTx runs f in a transaction of its own.
func (tr *trial) inTx(f func(tx pgx.Tx) error, end func(pgx.Tx, context.Context) error) error {
	tx, err := tr.pool.Begin(tr.ctx)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback(tr.ctx))
	}
	return end(tx, tr.ctx)
}
