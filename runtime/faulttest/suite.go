package faulttest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/double"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/pgtest"
	"github.com/idem-go/idem/runtime/provider"
)

// suite is a handler under test with what its runs without a fault have shown.
type suite struct {
	*subject
	test      string
	databases []pgtest.Option // what each database is a copy of

	catalog  *catalog
	volatile volatile
	initial  snapshot // before the step
	free     snapshot // after it, without a fault
	run      runtime.Run
	input    []byte
	output   []byte // nil for an action
	took     time.Duration
	trips    []exchange // with the database
	written  []table    // the tables that the step changes
	base     [2]*trial  // the runs themselves, for a last look

	calls    []double.Call             // of providers, in their order
	intents  map[string]provider.State // what became of each, by key
	outboxes []*outbox.Table           // that it queues commands to
	sent     []command                 // as the relays have left them
	relayed  snapshot                  // after the relays
}

// harnessSchema has what the harness itself puts into a database.
const harnessSchema = "idem_faulttest"

// suites numbers them, so that each has a template of its own.
var suites atomic.Int64

// newSuite says what the database is that all others are copies of.
func newSuite(tb testing.TB, s *subject) *suite {
	fixture := fmt.Sprintf("faulttest fixture %d", suites.Add(1))
	return &suite{subject: s, test: tb.Name(), databases: []pgtest.Option{
		pgtest.Migrated("faulttest migrations "+s.migrations, func(ctx context.Context, pool *pgxpool.Pool) error {
			return migrate(ctx, pool, s.migrations)
		}),
		pgtest.Migrated(fixture, func(ctx context.Context, pool *pgxpool.Pool) error {
			s.bind(&F{TB: tb, Pool: pool, First: true})
			return spreadSequences(ctx, pool, 1_000_000)
		}),
	}}
}

// spreadSequences moves each sequence to a range of its own, so that a generated id is not mistaken for another number.
func spreadSequences(ctx context.Context, pool *pgxpool.Pool, step int64) error {
	_, err := pool.Exec(ctx, `SELECT setval(c.oid::regclass, nextval(c.oid::regclass) + $1::bigint * row_number() OVER (ORDER BY c.oid))
		FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname <> 'idem' AND s.seqmax >= 2147483647 AND s.seqincrement > 0`, step)
	return err
}

// limits are those of the handler, as far as a fault does not need others.
type limits struct {
	timeout       time.Duration
	backoff       time.Duration
	attempts      int
	reclaims      *int
	input, output int64 // bytes
}

func (s *suite) defaults() limits {
	l := limits{
		timeout: min(s.limits.Timeout, longest), backoff: time.Millisecond, attempts: 5,
		input: s.limits.MaxInput, output: s.limits.MaxOutput,
	}
	if s.took > 0 { // it keeps its own timeout; now a busy machine must not be taken for a fault
		l.timeout = max(2*time.Second, 5*s.took)
	}
	return l
}

// longest is how long a handler may run in a test. One that needs longer with a sample input will be rare.
const longest = 5 * time.Second

func (l limits) options(queue string) []runtime.Option {
	opts := []runtime.Option{
		runtime.WithQueue(queue), runtime.WithTimeout(l.timeout), runtime.WithBackoff(l.backoff), runtime.WithMaxAttempts(l.attempts),
		runtime.WithMaxInput(l.input), runtime.WithMaxOutput(l.output),
	}
	if l.reclaims != nil {
		opts = append(opts, runtime.WithMaxReclaims(*l.reclaims))
	}
	return opts
}

// faultFree runs the handler twice without a fault. What differs then is not compared later.
func (s *suite) faultFree(tb testing.TB) (problems []string) {
	for i := range s.base {
		tr := newTrial(tb, s, &fault{name: "none"})
		s.base[i] = tr
		if problem := s.runFree(tr, i); problem != "" {
			return append(tr.found(), problem)
		}
		problems = append(problems, tr.found()...)
	}
	if len(problems) > 0 {
		return problems
	}
	return s.settle()
}

func (s *suite) runFree(tr *trial, i int) (problem string) {
	ctx := tr.ctx
	tr.limits.attempts = 1
	if i == 0 {
		var err error
		if s.catalog, err = readCatalog(ctx, tr.pool, s.ignore); err != nil {
			return err.Error()
		}
		if s.initial, err = s.catalog.read(ctx, tr.pool, runtime.Run{}); err != nil {
			return err.Error()
		}
		s.input = tr.bound.input
		if s.run, err = tr.identity(); err != nil {
			return fmt.Sprintf("it cannot be enqueued: %v", err)
		}
	} else if err := spreadSequences(ctx, tr.pool, 1000); err != nil {
		return err.Error()
	}
	if _, err := tr.enqueue(tr.bound.input); err != nil {
		return fmt.Sprintf("it cannot be enqueued: %v", err)
	}
	began := time.Now()
	if i == 0 {
		record := tr.record()
		tr.work(through(tr.proxy))
		tr.wait()
		s.trips = record()
	} else {
		tr.work()
		tr.wait()
	}
	s.took = time.Since(began)
	tr.stop()
	if tr.last().State != runtime.StateCompleted {
		return tr.incomplete()
	}
	if n := tr.executions(); n != 1 {
		return fmt.Sprintf("the handler ran %d times without a fault", n)
	}
	after := tr.snapshot()
	if i == 0 {
		s.free, s.output = after, tr.last().Output
		return s.lookOutside(tr)
	}
	if problem := s.sameOutside(tr); problem != "" {
		return problem
	}
	s.volatile = s.catalog.volatility(s.free, after)
	s.ignoreBookkeeping()
	c := s.compare("in a first run without a fault")
	if d := c.diff(s.free, after); d != "" {
		return "two runs on fresh databases without any fault leave different rows; does the handler keep state in memory or in files?\n" + d
	}
	return ""
}

// identity finds out which run it will be, in every database.
func (tr *trial) identity() (run runtime.Run, err error) {
	err = tr.inTx(func(tx pgx.Tx) (err error) {
		run, err = tr.enqueueTx(tx)
		return err
	}, pgx.Tx.Rollback)
	return run, err
}

// settle notes what the fault-free runs have shown.
func (s *suite) settle() []string {
	if again, err := s.again(s.input); err != nil || string(again) != string(s.input) {
		return []string{fmt.Sprintf("the input does not come back from JSON as it went in: %s became %s (%v)", s.input, again, err)}
	}
	before, after := s.catalog.normalise(s.initial, s.volatile), s.catalog.normalise(s.free, s.volatile)
	for _, t := range s.catalog.tables {
		if len(subtract(after[t.name], before[t.name]))+len(subtract(before[t.name], after[t.name])) > 0 {
			s.written = append(s.written, t)
		}
	}
	return nil
}

// lastLook finds what arrived at the databases of the runs without a fault after these had ended.
func (s *suite) lastLook() (problems []string) {
	for _, tr := range s.base {
		if tr == nil || tr.events.late() == nil {
			continue
		}
		return []string{"the handler, or a goroutine that it started, used its context after it had returned; wait for your goroutines before you return"}
	}
	tr := s.base[0]
	c := s.compare("when the step completed")
	if d := c.diff(s.relayed, tr.snapshot()); d != "" {
		return []string{"something was written after the step had completed; does the handler leave a goroutine behind?\n" + d}
	}
	return nil
}

// freeRow is the table's first row.
func (s *suite) freeRow(problems []string) Row {
	row := Row{Fault: s.base[0].fault.name, Outcome: outcomeWrong, Problems: problems}
	if s.catalog != nil {
		row = s.base[0].row()
		if row.Problems = problems; len(problems) > 0 {
			row.Outcome = outcomeWrong
		}
	}
	row.Fired = false
	return row
}

// uncompared names the columns that vary, of the tables that the step writes to.
func (s *suite) uncompared() []string {
	tables := []string{followUps, outputs}
	for _, t := range s.written {
		if !s.isOutbox(t) {
			tables = append(tables, t.name)
		}
	}
	return s.volatile.list(tables)
}
