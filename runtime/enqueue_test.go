package runtime

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/store"
)

func (b *bench) steps() int {
	b.Helper()
	return b.count(`SELECT count(*) FROM idem.steps`)
}

func TestF37_EnqueueFollowsTheCallersTransaction(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("joined")
	for _, commit := range []bool{false, true} {
		before := b.steps()
		tx := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
		run := must[Run](t)(action.EnqueueTx(t.Context(), b.client, tx, charge{"ann", 1}))
		if _, err := b.client.Status(t.Context(), run.ID, run.Node); !errors.Is(err, ErrNotFound) {
			t.Errorf("before the commit the run is there: %v", err)
		}
		if !commit {
			_ = tx.Rollback(t.Context())
			if b.steps() != before {
				t.Error("a rolled-back enqueue left a run")
			}
			continue
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if b.steps() != before+1 {
			t.Errorf("%d runs, want one more than %d", b.steps(), before)
		}
	}
}

// The notification belongs to the transaction too: a worker that does not poll hears of a committed run, and
// of no other.
func TestF37_NotificationFollowsTheTransaction(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	listener := must[*pgx.Conn](t)(pgx.Connect(t.Context(), b.pool.Config().ConnString()))
	defer func() { _ = listener.Close(context.Background()) }()
	if _, err := listener.Exec(t.Context(), `LISTEN "`+store.Channel(DefaultSchema)+`"`); err != nil {
		t.Fatal(err)
	}
	lost, kept := NewAction[charge]("lost", WithQueue("lost")), NewAction[charge]("kept", WithQueue("kept"))
	tx := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
	must[Run](t)(lost.EnqueueTx(t.Context(), b.client, tx, charge{}))
	_ = tx.Rollback(t.Context())
	tx = must[pgx.Tx](t)(b.pool.Begin(t.Context()))
	must[Run](t)(kept.EnqueueTx(t.Context(), b.client, tx, charge{}))
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	n, err := listener.WaitForNotification(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n.Payload != "kept" {
		t.Errorf("notified of queue %q, want only the committed one", n.Payload)
	}
}

// The caller's process dies between the enqueue and its commit.
func TestF37_CallerDiesBeforeItsCommit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), b.pool.Config().ConnString()))
	tx := must[pgx.Tx](t)(conn.Begin(t.Context()))
	must[Run](t)(NewAction[charge]("orphan").EnqueueTx(t.Context(), b.client, tx, charge{}))
	_ = conn.PgConn().Conn().Close() // as the death of the process does
	b.eventually("the server has noticed", func() bool {
		return b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`) == 0
	})
	if n := b.steps(); n != 0 {
		t.Errorf("%d runs, want none", n)
	}
}

func TestKeyedEnqueue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action, other := NewAction[charge]("keyed"), NewAction[charge]("other")
	ctx := t.Context()
	first := must[Run](t)(action.Enqueue(ctx, b.client, charge{"ann", 1}, WithKey("", "k")))
	if first.Duplicate {
		t.Error("the first is a duplicate")
	}
	again := must[Run](t)(action.Enqueue(ctx, b.client, charge{"ann", 1}, WithKey("", "k")))
	if !again.Duplicate || again.ID != first.ID {
		t.Errorf("again: %+v, want a duplicate of %s", again, first.ID)
	}
	row := func() (text string) {
		if err := b.pool.QueryRow(ctx, `SELECT s::text FROM idem.steps s WHERE run_id = $1`, first.ID).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := row()
	_, err := action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", "k"))
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || !errors.Is(err, ErrPayloadMismatch) || mismatch.RunID != first.ID || mismatch.Node != "keyed" {
		t.Errorf("another input under the key gives %v, want a MismatchError that names the run", err)
	}
	if row() != before {
		t.Error("the refused enqueue changed the row")
	}
	seen := map[string]string{first.ID: "first"}
	for name, enqueue := range map[string]func() (Run, error){
		"other tenant":   func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("t", "k")) },
		"other node":     func() (Run, error) { return other.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", "k")) },
		"case":           func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", "K")) },
		"trailing space": func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", "k ")) },
		"moved boundary": func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("tk", "")) },
		"NFC":            func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", "é")) },
		"NFD":            func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", "e\u0301")) },
		"percent":        func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", "%")) },
		"quotes":         func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", `'"$1`)) },
		"bytes":          func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", "\x00\xff")) },
		"longest allowed": func() (Run, error) {
			return action.Enqueue(ctx, b.client, charge{"ann", 2}, WithKey("", strings.Repeat("k", maxKeyBytes)))
		},
		"no key": func() (Run, error) { return action.Enqueue(ctx, b.client, charge{"ann", 2}) },
	} {
		run, err := enqueue()
		if name == "moved boundary" {
			if err == nil {
				t.Error("an empty key is accepted")
			}
			continue
		}
		if err != nil || run.Duplicate || seen[run.ID] != "" {
			t.Errorf("F42 %s: %+v, %v; want a run of its own, not that of %q", name, run, err, seen[run.ID])
		}
		seen[run.ID] = name
	}
	before2 := b.steps()
	for _, opt := range []EnqueueOption{WithKey("", strings.Repeat("k", maxKeyBytes+1)), WithKey(strings.Repeat("t", maxKeyBytes+1), "k"), WithDelay(-1)} {
		if _, err := action.Enqueue(ctx, b.client, charge{}, opt); err == nil {
			t.Error("an option that is out of bounds is accepted")
		}
	}
	if b.steps() != before2 {
		t.Error("a refused enqueue left a row")
	}
}

// The same key from everywhere at once is one run; its input is one of those that were sent.
func TestConcurrentEnqueueUnderOneKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("raced")
	var fresh, duplicates, mismatches atomic.Int32
	var callers sync.WaitGroup
	for i := range 40 {
		callers.Go(func() {
			run, err := action.Enqueue(context.Background(), b.client, charge{"ann", int64(i % 2)}, WithKey("t", "k"))
			switch {
			case errors.Is(err, ErrPayloadMismatch):
				mismatches.Add(1)
			case err != nil:
				t.Error(err)
			case run.Duplicate:
				duplicates.Add(1)
			default:
				fresh.Add(1)
			}
		})
	}
	callers.Wait()
	if fresh.Load() != 1 || duplicates.Load() != 19 || mismatches.Load() != 20 {
		t.Errorf("%d new, %d duplicates, %d mismatches; want 1, 19, 20", fresh.Load(), duplicates.Load(), mismatches.Load())
	}
	if n := b.steps(); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
}

// Each input of many has its own options, and a transaction of the caller's holds all of them.
func TestEnqueueManyWithOptions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("many")
	ctx := t.Context()
	opts := func(in charge) []EnqueueOption {
		if in.User == "" {
			return nil // a run of its own
		}
		return []EnqueueOption{WithKey("t", in.User), WithDelay(time.Duration(in.Amount) * time.Hour)}
	}
	ins := []charge{{"a", 1}, {"", 0}, {"b", 2}, {"", 0}}
	tx := must[pgx.Tx](t)(b.pool.Begin(ctx))
	rolledBack := must[[]Run](t)(action.EnqueueManyTx(ctx, b.client, tx, ins, opts))
	if err := tx.Rollback(ctx); err != nil || b.steps() != 0 {
		t.Fatalf("%d rows after a rollback, %v", b.steps(), err)
	}
	tx = must[pgx.Tx](t)(b.pool.Begin(ctx))
	runs := must[[]Run](t)(action.EnqueueManyTx(ctx, b.client, tx, ins, opts))
	if b.steps() != 0 {
		t.Error("runs can be seen before the commit")
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if runs[0].ID != rolledBack[0].ID || runs[1].ID == rolledBack[1].ID || runs[1].ID == runs[3].ID || b.steps() != 4 {
		t.Errorf("%+v after %+v, %d rows", runs, rolledBack, b.steps())
	}
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE scheduled_at > now() + interval '50 minutes'`); n != 2 {
		t.Errorf("%d runs are delayed, want 2", n)
	}
	for i, run := range must[[]Run](t)(action.EnqueueMany(ctx, b.client, ins, opts)) {
		if run.Duplicate != (ins[i].User != "") {
			t.Errorf("%+v of %+v", run, ins[i])
		}
	}
	// A pool of one connection, which the transaction holds: the mismatch must not ask for another.
	cfg := b.pool.Config()
	cfg.MaxConns = 1
	narrow := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(ctx, cfg))
	t.Cleanup(narrow.Close)
	tx = must[pgx.Tx](t)(narrow.Begin(ctx))
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := action.EnqueueManyTx(ctx, NewClient(narrow, WithClientLogger(slog.New(slog.DiscardHandler))), tx, []charge{{"a", 9}}, opts); !errors.Is(err, ErrPayloadMismatch) {
		t.Errorf("another input gives %v", err)
	}
}

func TestEnqueueMany(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("many", WithMaxReclaims(2))
	ctx := t.Context()
	key := func(in charge) []EnqueueOption { return []EnqueueOption{WithKey("t", in.User)} }
	if runs, err := action.EnqueueMany(ctx, b.client, nil, key); err != nil || len(runs) != 0 {
		t.Errorf("none: %v, %v", runs, err)
	}
	single := must[Run](t)(action.Enqueue(ctx, b.client, charge{"b", 2}, key(charge{"b", 0})...))
	runs := must[[]Run](t)(action.EnqueueMany(ctx, b.client, []charge{{"a", 1}, {"b", 2}, {"a", 1}, {"c", 3}}, key))
	for i, want := range []bool{false, true, true, false} {
		if runs[i].Duplicate != want {
			t.Errorf("run %d: duplicate is %v, want %v", i, runs[i].Duplicate, want)
		}
	}
	if runs[0].ID != runs[2].ID || runs[1].ID != single.ID || b.steps() != 3 {
		t.Errorf("%+v, %d rows", runs, b.steps())
	}
	for name, ins := range map[string][]charge{
		"with a stored one":  {{"d", 1}, {"b", 9}},
		"within the batch":   {{"d", 1}, {"d", 2}},
		"the first of many":  {{"a", 9}, {"e", 1}},
		"two of the batch's": {{"a", 9}, {"b", 9}},
	} {
		var mismatch *MismatchError
		if _, err := action.EnqueueMany(ctx, b.client, ins, key); !errors.As(err, &mismatch) {
			t.Errorf("a mismatch %s gives %v, want a MismatchError", name, err)
		}
	}
	if n := b.steps(); n != 3 {
		t.Errorf("%d rows after refused batches, want 3", n)
	}
	must[[]Run](t)(action.EnqueueMany(ctx, b.client, make([]charge, 1000), nil))
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE node = 'many' AND max_reclaims = 2 AND max_attempts = $1 AND queue = 'default'`, DefaultMaxAttempts); n != 1003 {
		t.Errorf("%d rows with the definition's limits, want 1003", n)
	}
}

func TestScheduledStart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("scheduled")
	RegisterAction(b.reg, action, recordCharge)
	ctx := t.Context()
	delayed := must[Run](t)(action.Enqueue(ctx, b.client, charge{"ann", 1}, WithDelay(400*time.Millisecond)))
	at := must[Run](t)(action.Enqueue(ctx, b.client, charge{"ann", 1}, WithStartAt(time.Now().Add(400*time.Millisecond))))
	far := must[Run](t)(action.Enqueue(ctx, b.client, charge{"ann", 1}, WithDelay(1000*time.Hour)))
	past := must[Run](t)(action.Enqueue(ctx, b.client, charge{"ann", 1}, WithStartAt(time.Now().Add(-time.Hour))))
	b.work(slow())
	for _, run := range []Run{delayed, at, past} {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE finished_at < scheduled_at`); n != 0 {
		t.Errorf("%d steps ran before their time, by the database's clock", n)
	}
	b.is(b.now(far), StatePending, "", 1, 0)
}

// F38: the commit of an enqueue is ambiguous. Asking again with the key gives the run, whichever it was.
func TestF38_AmbiguousEnqueue(t *testing.T) {
	for name, lost := range map[string]bool{"request lost": true, "reply lost": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			proxied, proxy := b.proxied()
			action := NewAction[charge]("ambiguous")
			match := wireStatement(`.steps AS s`)
			cut := proxy.CutReply
			if lost {
				cut = proxy.CutRequest
			}
			c := cut(match)
			client := NewClient(proxied, WithClientLogger(slog.New(slog.DiscardHandler)))
			if _, err := action.Enqueue(t.Context(), client, charge{"ann", 1}, WithKey("t", "k")); err == nil {
				t.Fatal("the enqueue with the lost connection succeeded")
			}
			<-c.Fired()
			again := must[Run](t)(action.Enqueue(t.Context(), client, charge{"ann", 1}, WithKey("t", "k")))
			if again.Duplicate == lost {
				t.Errorf("again: %+v", again)
			}
			if n := b.count(`SELECT count(*) FROM idem.steps WHERE run_id = $1`, again.ID); n != 1 || b.steps() != 1 {
				t.Errorf("%d runs, want 1", b.steps())
			}
			if _, err := action.Enqueue(t.Context(), client, charge{"ann", 2}, WithKey("t", "k")); !errors.Is(err, ErrPayloadMismatch) {
				t.Errorf("another input gives %v", err)
			}
		})
	}
}

// A handler can enqueue through its transaction with the ordinary call too.
func TestEnqueueTxInHandler(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	child := NewAction[charge]("child")
	action := NewAction[charge]("parent", WithBackoff(time.Millisecond))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if _, err := child.EnqueueTx(ctx, b.client, ctx.CompletionTx(), in); err != nil {
			return err
		}
		if ctx.Attempt() == 1 {
			return errors.New("not yet")
		}
		return nil
	})
	b.work(slow())
	b.is(b.wait(b.charge(action)), StateCompleted, "", 2, 0)
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE node = 'child'`); n != 1 {
		t.Errorf("%d children, want that of the attempt which completed", n)
	}
}

// F40: whatever happens to a step, its identity and those of its follow-ups stay.
func TestF40_KeysAreStable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var mu sync.Mutex
	seen := map[string]int{}
	child := NewAction[charge]("child")
	action := NewAction[charge]("stable", WithBackoff(time.Millisecond))
	var runs atomic.Int32
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		text := ctx.RunID() + " " + ctx.Node()
		for range 2 {
			run, err := EnqueueActionCompletion(ctx, child, in)
			if err != nil {
				return err
			}
			text += " " + run.ID
		}
		mu.Lock()
		seen[text]++
		mu.Unlock()
		switch runs.Add(1) {
		case 1:
			return errors.New("A1 fails")
		case 2:
			epoch := b.count(`SELECT epoch FROM idem.steps WHERE run_id = $1 AND node = $2`, ctx.RunID(), ctx.Node())
			for ctx.Err() == nil { // until the heartbeat, which also renews the lease, finds that the step was taken over
				b.exec(`UPDATE idem.steps SET lease_expires_at = clock_timestamp() - interval '1 hour' WHERE state = 'running' AND epoch = $1`, epoch)
				time.Sleep(10 * time.Millisecond)
			}
			return ctx.Err()
		}
		return recordCharge(ctx, in)
	})
	cfg := slow()
	cfg.Heartbeat = 100 * time.Millisecond
	b.work(cfg)
	b.is(b.wait(b.charge(action)), StateCompleted, "", 2, 1)
	if len(seen) != 1 {
		t.Errorf("the identities differ between executions: %v", seen)
	}
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE node = 'child'`); n != 2 {
		t.Errorf("%d children, want 2", n)
	}
}

// F46: a worker leaves steps alone whose handler it does not have, for one that does.
func TestF46_UnknownHandlersAreLeftForOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	old, fresh := NewAction[charge]("old_kind"), NewAction[charge]("new_kind")
	RegisterAction(b.reg, old, recordCharge)
	b.work(slow())
	newer := b.charge(fresh)
	for range 3 { // the old worker has looked at the queue meanwhile
		b.is(b.wait(b.charge(old)), StateCompleted, "", 1, 0)
	}
	b.is(b.now(newer), StatePending, "", 1, 0)
	b.reg = NewRegistry()
	RegisterAction(b.reg, fresh, recordCharge)
	b.work(slow())
	b.is(b.wait(newer), StateCompleted, "", 1, 0)
}

// A field that the worker's type does not have yet stays in the stored input.
func TestF46_UnknownFieldsStayStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	type newer struct {
		charge
		Currency string
	}
	action := NewAction[charge]("evolving")
	RegisterAction(b.reg, action, recordCharge)
	b.work(slow())
	run := must[Run](t)(NewAction[newer]("evolving").Enqueue(t.Context(), b.client, newer{charge{"ann", 1}, "EUR"}))
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE input->>'Currency' = 'EUR'`); n != 1 {
		t.Error("the stored input has lost a field")
	}
}
