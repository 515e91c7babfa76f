package provider_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// monthly keeps intents for a month.
var monthly = provider.Retention{Keep: 30 * day, ReplayWindow: 30 * day}

func TestF69_RetentionOfIntentsTooShort(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := provider.Define("send_sms", func(context.Context, string, message) (ledger.Receipt, error) { return ledger.Receipt{}, nil },
		provider.WithWindow(day), provider.WithMargin(2*time.Hour))
	for name, r := range map[string]provider.Retention{
		"no replay window":      {Keep: 30 * day},
		"below it":              {Keep: day, ReplayWindow: 2 * day},
		"the provider's window": {Keep: day, ReplayWindow: time.Hour},
		"and its margin":        {Keep: day + time.Hour, ReplayWindow: time.Hour},
	} {
		if _, err := provider.NewPurger(b.pool, r, p); !errors.Is(err, provider.ErrRetention) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range []provider.Retention{{}, {Keep: -1, ReplayWindow: 1}, {Keep: 1, ReplayWindow: -1}, {Keep: 1, ReplayWindow: 1, Batch: -1}} {
		if _, err := provider.NewPurger(b.pool, r); err == nil {
			t.Errorf("%+v was accepted", r)
		}
	}
	if _, err := provider.NewPurger(b.pool, provider.Retention{Keep: day + 2*time.Hour, ReplayWindow: day}, p); err != nil {
		t.Error(err)
	}
}

// age lets the time pass for all intents that are known for good.
func (b *bench) age(d time.Duration) {
	b.Helper()
	b.exec(`UPDATE idem.intents SET settled_at = settled_at - $1::bigint * interval '1 microsecond',
		window_ends_at = window_ends_at - $1::bigint * interval '1 microsecond', epoch = epoch + 1, actor = 'test', reason = 'time passes'
		WHERE state IN ('confirmed', 'reconciled', 'rejected')`, d.Microseconds())
}

// purges removes what can go, and checks how many intents that are.
func (b *bench) purges(r provider.Retention, want int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience) // it waits for nobody
	defer cancel()
	if got := must(must(provider.NewPurger(b.pool, r))(b).Purge(ctx))(b); got != want {
		b.Errorf("%d intents were removed, want %d; left: %+v", got, want, b.intents())
	}
}

// settled makes intents by SQL alone, known for so many days; the steps that made them are gone.
func (b *bench) settled(keys ...string) {
	b.Helper()
	for _, key := range keys {
		b.newIntent(key, provider.StateConfirmed)
		b.exec(`UPDATE idem.intents SET settled_at = now() - interval '40 days', epoch = epoch + 1 WHERE key = $1`, key)
	}
}

func TestF69_PurgeOfIntents(t *testing.T) {
	t.Parallel()
	const step = `INSERT INTO idem.steps (run_id, node, queue, max_attempts, input, input_digest, state, finished_at, lease_expires_at)
		VALUES ('run', 'node', 'default', 3, '{}', sha256('{}'), '%s', %s, %s)`
	for name, tt := range map[string]struct {
		sql  string
		want int // of three intents of one step
	}{
		"old":                     {``, 3},
		"one is younger":          {`UPDATE idem.intents SET settled_at = now() - interval '29 days', epoch = epoch + 1 WHERE key = 'b'`, 0},
		"one has a window":        {`UPDATE idem.intents SET window_ends_at = now() + interval '1 day', epoch = epoch + 1 WHERE key = 'b'`, 0},
		"its window is over":      {`UPDATE idem.intents SET window_ends_at = now() - interval '1 day', epoch = epoch + 1 WHERE key = 'b'`, 3},
		"its step is completed":   {fmt.Sprintf(step, "completed", "now()", "NULL"), 3},
		"its step is cancelled":   {fmt.Sprintf(step, "cancelled", "now()", "NULL"), 3},
		"its step is discarded":   {fmt.Sprintf(step, "discarded", "now()", "NULL"), 0},
		"its step is pending":     {fmt.Sprintf(step, "pending", "NULL", "NULL"), 0},
		"its step is running":     {fmt.Sprintf(step, "running", "NULL", "now()"), 0},
		"another call is unknown": {`INSERT INTO idem.intents (key, run_id, node, provider, item, owner, request, request_digest, actor, reason) VALUES ('x', 'run', 'node', 'p', 'x', 'o', '{}', sha256('{}'), 'a', 'b')`, 0},
		"one is being taken back": {`INSERT INTO idem.intents (key, run_id, node, provider, item, owner, request, request_digest, actor, reason, compensates) VALUES ('x', 'r', 'n', 'p', 'x', 'o', '{}', sha256('{}'), 'a', 'b', 'a')`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.settled("a", "b", "c")
			if tt.sql != "" {
				b.exec(tt.sql)
			}
			b.purges(monthly, tt.want)
			left := b.count(`SELECT count(*) FROM idem.intents WHERE key IN ('a', 'b', 'c')`)
			histories := b.count(`SELECT count(DISTINCT key) FROM idem.intent_events WHERE key IN ('a', 'b', 'c')`)
			if left != 3-tt.want || histories != left {
				t.Errorf("%d are left, with %d histories", left, histories)
			}
		})
	}
}

// What has to stay keeps nothing else from going, however many there are, and each transaction is small.
func TestF69_PurgeOfIntentsInBatches(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 23
	for i := range n {
		b.exec(`INSERT INTO idem.intents (key, run_id, node, provider, owner, request, request_digest, actor, reason)
			VALUES ('k' || $1::text, 'r' || $1::text, 'n', 'p', 'o', '{}', sha256('{}'), 'a', 'b')`, fmt.Sprintf("%02d", i))
	}
	b.exec(`UPDATE idem.intents SET state = 'confirmed', settled_at = now() - interval '40 days', epoch = epoch + 1`)
	b.exec(`INSERT INTO idem.steps (run_id, node, queue, max_attempts, input, input_digest, state, finished_at)
		SELECT run_id, node, 'default', 3, '{}', sha256('{}'), 'discarded', now() FROM idem.intents WHERE key < 'k10'`)
	r := monthly
	r.Batch = 4
	db := &countingDB{DB: b.pool}
	if removed := must(must(provider.NewPurger(db, r))(b).Purge(context.Background()))(b); removed != n-10 || db.transactions != (n+3)/4 {
		t.Errorf("%d were removed in %d transactions", removed, db.transactions)
	}
	if left := b.count(`SELECT count(*) FROM idem.intents`); left != 10 {
		t.Errorf("%d are left", left)
	}
}

// countingDB counts transactions.
type countingDB struct {
	provider.DB
	transactions int
}

func (db *countingDB) Begin(ctx context.Context) (pgx.Tx, error) {
	db.transactions++
	return db.DB.Begin(ctx)
}

// While somebody is at one of the intents of a step, none of them goes, and nobody waits.
func TestF69_PurgeLeavesWhatIsLocked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.settled("a", "b")
	tx := must(b.pool.Begin(context.Background()))(t)
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(context.Background(), `SELECT FROM idem.intents WHERE key = 'b' FOR KEY SHARE`); err != nil {
		t.Fatal(err)
	}
	b.purges(monthly, 0)
	if err := tx.Rollback(context.Background()); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
		t.Fatal(err)
	}
	b.purges(monthly, 2)
}

// Steps that were discarded after their calls are retried long afterwards, while purges run all the time: they find their
// receipts, and nothing is sent again.
func TestF69_PurgeRacesARetry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := define(windowed, b.api)
	var mended atomic.Bool
	runtime.RegisterAction(b.reg, notify, func(ctx runtime.Context, in message) error {
		if err := notifier(p)(ctx, in); err != nil {
			return err
		}
		if !mended.Load() {
			return runtime.Permanent(errors.New("a bug behind the call"))
		}
		return nil
	})
	b.work()
	const n = 12
	var runs []runtime.Run
	for range n {
		runs = append(runs, b.enqueue())
	}
	for _, run := range runs {
		b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 1, 0)
	}
	b.age(60 * day)
	mended.Store(true)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var purges sync.WaitGroup
	purger := must(provider.NewPurger(b.pool, provider.Retention{Keep: 30 * day, ReplayWindow: 30 * day, Batch: 3}, p))(t)
	looked := make(chan struct{}, 1)
	for range 2 {
		purges.Go(func() {
			for ctx.Err() == nil {
				if _, err := purger.Purge(ctx); err != nil && ctx.Err() == nil {
					t.Errorf("purge: %v", err)
					return
				}
				select {
				case looked <- struct{}{}:
				default:
				}
			}
		})
	}
	for _, run := range runs {
		<-looked
		must(b.client.Retry(context.Background(), run.ID, ""))(t)
	}
	for _, run := range runs {
		b.is(b.wait(run), runtime.StateCompleted, "", 2, 0)
	}
	b.eventually("the evidence of completed steps goes", func() bool { return b.count(`SELECT count(*) FROM idem.intents`) == 0 })
	stop()
	purges.Wait()
	b.asked(n, n)
	if left := b.count(`SELECT count(*) FROM idem.intent_events`); left != 0 {
		t.Errorf("%d rows of history are left", left)
	}
}

// A duplicate of a step whose evidence is gone is still answered by the step, which is evidence too.
func TestF69_DuplicateAfterThePurge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.notifies(windowed)
	b.work()
	key := runtime.WithKey("", "order-7")
	run := must(notify.Enqueue(context.Background(), b.client, hello, key))(t)
	b.is(b.wait(run), runtime.StateCompleted, "", 1, 0)
	b.purges(monthly, 0)
	b.age(60 * day)
	b.purges(monthly, 1)
	if again := must(notify.Enqueue(context.Background(), b.client, hello, key))(t); !again.Duplicate || again.ID != run.ID {
		t.Errorf("%+v", again)
	}
	b.asked(1, 1)
}

// A call stays while an operator's compensation of it is to come, and goes with it afterwards.
func TestF69_PurgeWaitsForACompensation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.notifies(windowed)
	stop := b.work()
	run := b.enqueue()
	b.completed(run, 0)
	stop()
	b.age(60 * day)
	res := must(b.operator.Compensate(context.Background(), by(b.intent())))(t)
	b.purges(monthly, 0)
	provider.RegisterUndo(b.reg, p)
	b.work()
	b.is(b.wait(runtime.Run{ID: res.Step.RunID, Node: res.Step.Node}), runtime.StateCompleted, "", 1, 0)
	b.purges(monthly, 0) // the compensation is young
	b.exec(`UPDATE idem.intents SET settled_at = settled_at - interval '60 days', window_ends_at = NULL, epoch = epoch + 1, actor = 'test', reason = 'time passes'
		WHERE compensates IS NOT NULL`)
	if states := b.intents(); !slices.ContainsFunc(states, func(in provider.Intent) bool { return in.State == provider.StateCompensated }) {
		t.Errorf("%+v", states)
	}
	b.purges(monthly, 2)
}
