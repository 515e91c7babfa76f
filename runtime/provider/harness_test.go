package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/pgtest"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

func TestMain(m *testing.M) {
	if os.Getenv(childURL) != "" {
		childWorker()
		return
	}
	goleak.VerifyTestMain(m)
}

// message is the request of the tests' provider.
type message struct {
	To, Text string
}

// sent is what a handler writes with its completion; a second execution of the same write would show.
const testSchema = `CREATE TABLE sent (run_id text NOT NULL, receipt text NOT NULL)`

func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := migrations.Up(ctx, pool, ""); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, testSchema)
	return err
}

// way is what a provider offers.
type way struct {
	window time.Duration
	lookup bool
	undo   bool
}

// options returns the way as options, for the ledger behind c.
func (w way) options(c ledger.Client) []provider.Option {
	opts := []provider.Option{provider.WithPause(20 * time.Millisecond), provider.WithSettle(50 * time.Millisecond)}
	if w.window > 0 {
		opts = append(opts, provider.WithWindow(w.window))
	}
	if w.lookup {
		opts = append(opts, provider.WithLookup(c.Find))
	}
	if w.undo {
		opts = append(opts, provider.WithUndo(c.Undo))
	}
	return opts
}

var (
	day       = 24 * time.Hour
	windowed  = way{window: day, undo: true}
	lookedUp  = way{lookup: true}
	both      = way{window: day, lookup: true, undo: true}
	neither   = way{}
	recovered = map[string]way{"window": windowed, "lookup": lookedUp, "both": both}
)

// define makes the provider send_sms on a ledger.
func define(w way, c ledger.Client) *provider.Provider[message, ledger.Receipt] {
	return provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
		return c.Send(ctx, key, m)
	}, w.options(c)...)
}

// notify is the tests' action: it sends its input, and writes the receipt with its completion.
var notify = runtime.NewAction[message]("notify", runtime.WithMaxAttempts(3), runtime.WithBackoff(20*time.Millisecond))

func notifier(p *provider.Provider[message, ledger.Receipt], opts ...provider.CallOption) func(runtime.Context, message) error {
	return func(ctx runtime.Context, in message) error {
		receipt, err := p.Call(ctx, in, opts...)
		if err != nil {
			return fmt.Errorf("sending: %w", err)
		}
		_, err = ctx.CompletionTx().Exec(ctx, `INSERT INTO sent VALUES ($1, $2)`, ctx.RunID(), receipt.ID)
		return err
	}
}

// bench is a database, a ledger, and what a test runs on them.
type bench struct {
	testing.TB
	pool     *pgxpool.Pool
	client   *runtime.Client
	ledger   *ledger.Ledger
	api      ledger.Client
	reg      *runtime.Registry
	operator *provider.Operator
	log      *logBuffer
}

func newBench(t testing.TB, opts ...ledger.Option) *bench {
	t.Helper()
	l, err := ledger.Start(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	pool := pgtest.New(t, pgtest.Migrated("provider", migrate))
	return &bench{
		TB: t, pool: pool, client: runtime.NewClient(pool), ledger: l, api: ledger.Client{URL: l.URL()},
		reg: runtime.NewRegistry(), operator: provider.NewOperator(pool), log: &logBuffer{},
	}
}

// onEach runs a test for each way in which an unknown outcome can be found out.
func onEach(t *testing.T, test func(t *testing.T, b *bench, w way)) {
	for name, w := range recovered {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newBench(t), w)
		})
	}
}

func config(log *slog.Logger) runtime.Config {
	return runtime.Config{
		Poll: 30 * time.Millisecond, Sweep: 50 * time.Millisecond, Grace: 200 * time.Millisecond, Shutdown: 3 * time.Second, Logger: log,
	}
}

// notifies registers the action with the ledger's provider.
func (b *bench) notifies(w way, opts ...provider.CallOption) *provider.Provider[message, ledger.Receipt] {
	p := define(w, b.api)
	runtime.RegisterAction(b.reg, notify, notifier(p, opts...))
	return p
}

// work runs a worker until the test ends, or until the function that it returns is called.
func (b *bench) work() (stop func()) {
	b.Helper()
	w, err := runtime.NewWorker(b.pool, b.reg, config(slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			b.Errorf("worker: %v", err)
		}
	})
	b.Cleanup(stop)
	return stop
}

var hello = message{To: "+44 20 7946 0123", Text: "hello"}

func (b *bench) enqueue() runtime.Run {
	b.Helper()
	return must(notify.Enqueue(context.Background(), b.client, hello))(b)
}

// wait returns the run's step once it has ended.
func (b *bench) wait(run runtime.Run) runtime.StepStatus {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := b.client.Wait(ctx, run)
	if err != nil {
		b.Fatalf("waiting for %s: %v; it is %+v; intents %+v", run.ID, err, s, b.intents())
	}
	return s
}

// waits returns the run's step once it waits for an operator.
func (b *bench) waits(run runtime.Run) (s runtime.StepStatus) {
	b.Helper()
	b.eventually("the step waits for an operator", func() bool {
		s = must(b.client.Status(context.Background(), run.ID, run.Node))(b)
		return s.Reason == runtime.ReasonWaiting && strings.Contains(s.Error, "idem intents")
	})
	return s
}

// completed checks that the step has completed at its first attempt, with one receipt and one effect outside.
func (b *bench) completed(run runtime.Run, reclaims int) {
	b.Helper()
	b.is(b.wait(run), runtime.StateCompleted, "", 1, reclaims)
	if n := b.count(`SELECT count(*) FROM sent s JOIN idem.intents i ON i.receipt->>'id' = s.receipt WHERE s.run_id = $1`, run.ID); n != 1 {
		b.Errorf("%d rows with the stored receipt, want 1", n)
	}
}

func (b *bench) is(s runtime.StepStatus, state runtime.State, reason runtime.Reason, attempt, reclaims int) {
	b.Helper()
	if s.State != state || s.Reason != reason || s.Attempt != attempt || s.Reclaims != reclaims {
		b.Errorf("step is %s (%s) with attempt %d and %d reclaims, want %s (%s), %d and %d; error: %s",
			s.State, s.Reason, s.Attempt, s.Reclaims, state, reason, attempt, reclaims, s.Error)
	}
}

// asked checks what the ledger was asked for in all, and what it did.
func (b *bench) asked(requests, effects int) {
	b.Helper()
	if got := b.ledger.Requests(""); len(got) != requests || b.ledger.Effects("") != effects {
		b.Errorf("the ledger has %d requests and %d effects, want %d and %d: %+v", len(got), b.ledger.Effects(""), requests, effects, got)
	}
}

func (b *bench) intents() []provider.Intent {
	b.Helper()
	return must(b.operator.List(context.Background(), provider.Filter{All: true}))(b)
}

// intent returns the only intent.
func (b *bench) intent() provider.Intent {
	b.Helper()
	all := b.intents()
	if len(all) != 1 {
		b.Fatalf("%d intents, want 1: %+v", len(all), all)
	}
	return all[0]
}

// went checks the states that an intent has been in, and that its history is complete.
func (b *bench) went(key string, want ...provider.State) provider.Intent {
	b.Helper()
	in, events, err := b.operator.Show(context.Background(), key)
	if err != nil {
		b.Fatal(err)
	}
	var states []provider.State
	before := provider.State("")
	for i, e := range events {
		if e.Epoch != int64(i+1) || e.From != before || e.Actor == "" || e.Reason == "" {
			b.Errorf("event %d is %+v, after %q", i+1, e, before)
		}
		if e.To != before {
			states = append(states, e.To)
		}
		before = e.To
	}
	if before != in.State || in.Epoch != int64(len(events)) {
		b.Errorf("the history ends with %s after %d changes, the intent is %s at epoch %d", before, len(events), in.State, in.Epoch)
	}
	if !slices.Equal(states, want) {
		b.Errorf("the intent went %v, want %v; history %+v", states, want, events)
	}
	return in
}

// pass lets an intent's window end.
func (b *bench) pass(key string) {
	b.Helper()
	b.exec(`UPDATE idem.intents SET window_ends_at = clock_timestamp(), epoch = epoch + 1, actor = 'test', reason = 'time passes' WHERE key = $1`, key)
}

// expire lets the lease of a run's step run out.
func (b *bench) expire(run runtime.Run) {
	b.Helper()
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 second' WHERE run_id = $1 AND state = 'running'`, run.ID)
}

func (b *bench) count(sql string, args ...any) (n int) {
	b.Helper()
	if err := b.pool.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

func (b *bench) exec(sql string, args ...any) {
	b.Helper()
	if _, err := b.pool.Exec(context.Background(), sql, args...); err != nil {
		b.Fatal(err)
	}
}

// patience is how long a test waits for what has to happen: much longer than it takes on a machine that does much else.
const patience = 2 * time.Minute

func (b *bench) eventually(what string, ok func() bool) {
	b.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("never happened: %s; intents %+v", what, b.intents())
		}
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// by is an operator's decision on an intent as it is shown.
func by(in provider.Intent) provider.Decision {
	return provider.Decision{Key: in.Key, Epoch: in.Epoch, Actor: "ann", Reason: "looked it up"}
}

func raw(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(errors.Join(err))
	}
	return data
}

// logBuffer keeps a worker's log.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
