package runtime

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/internal/commit"
	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/step"
)

// together lets the handlers of n runs wait for each other, so that their completions meet in groups.
func together(n int) func() {
	var all sync.WaitGroup
	all.Add(n)
	return func() {
		all.Done()
		all.Wait()
	}
}

func charges(n int, amount func(i int) int64) []charge {
	ins := make([]charge, n)
	for i := range ins {
		ins[i] = charge{fmt.Sprintf("user-%d", i), amount(i)}
	}
	return ins
}

// grouped counts the steps that were committed together with others.
func (b *bench) grouped() (steps, most int) {
	for _, e := range b.events.of(EventGroup) {
		if e.Count > 1 {
			steps += e.Count
		}
		most = max(most, e.Count)
	}
	return steps, most
}

// heldUp lets no row into the ledger until all handlers of what enqueue adds are back, none of which comes back before all
// have begun: there are more of them than committers, so that some are committed together, however slowly they come.
func (b *bench) heldUp(w *Worker, enqueue func() []Run) []Run {
	b.Helper()
	tx, err := b.pool.Begin(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := tx.Exec(b.Context(), `LOCK TABLE ledger IN EXCLUSIVE MODE`); err != nil {
		b.Fatal(err)
	}
	runs := enqueue()
	b.eventually("all handlers are back", func() bool {
		held := w.held.All()
		return len(held) > 0 && !slices.ContainsFunc(held, func(s *lease.Held) bool { return !s.Settled() })
	})
	if err := tx.Commit(b.Context()); err != nil {
		b.Fatal(err)
	}
	return runs
}

// completedAtOnce checks that all steps but the bad ones completed at their first attempt, with their rows.
func (b *bench) completedAtOnce(good int) {
	b.Helper()
	if n := b.count(`SELECT count(*) FROM idem.steps s WHERE state = 'completed' AND attempt = 1 AND reclaims = 0
		AND EXISTS (SELECT FROM ledger l WHERE l.run_id = s.run_id AND l.node = s.node)`); n != good {
		b.Errorf("%d steps completed at once with their row, want %d", n, good)
	}
	if n := b.count(`SELECT count(*) FROM ledger`); n != good {
		b.Errorf("%d ledger rows, want %d", n, good)
	}
}

func TestOneBadStepInAGroup(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(ctx Context) error{
		"check violation": func(ctx Context) error { return ledger.Record(ctx, "bad", int64(-1), nil) },
		"NUL in a text":   func(ctx Context) error { return ledger.Record(ctx, "b\x00d", int64(1), nil) },
		"not encodable":   func(ctx Context) error { return ledger.Record(ctx, "bad", "no number", nil) },
		"out of range": func(ctx Context) error {
			narrow := idemimpl.Effect{Table: "narrow", Columns: []string{"n"}, InsertSQL: `INSERT INTO ledger SELECT $1::text, $2::text, $3::bytea, 'x', $4::smallint`}
			return narrow.Record(ctx, int64(1<<40))
		},
		"no such table": func(ctx Context) error {
			nowhere := idemimpl.Effect{Table: "nowhere", InsertSQL: `INSERT INTO nowhere VALUES ($1::text, $2::text, $3::bytea)`}
			return nowhere.Record(ctx)
		},
		"deferred": func(ctx Context) error {
			late := idemimpl.Effect{Table: "strict", InsertSQL: `INSERT INTO strict SELECT 1 FROM generate_series(1, 2) WHERE $1::text <> $2::text AND $3::bytea <> ''`}
			return late.Record(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			const n = 40
			meet := together(n)
			action := NewAction[charge]("grouped", WithMaxAttempts(1))
			RegisterAction(b.reg, action, func(ctx Context, in charge) error {
				meet()
				if in.Amount == 13 {
					return bad(ctx)
				}
				return recordCharge(ctx, in)
			})
			_, w := b.workOn(b.pool, slow())
			runs := b.heldUp(w, func() []Run {
				return must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
			})
			for i, run := range runs {
				if i == 13 {
					b.is(b.wait(run), StateDiscarded, ReasonAttemptsExhausted, 1, 0)
				} else {
					b.is(b.wait(run), StateCompleted, "", 1, 0)
				}
			}
			b.completedAtOnce(n - 1)
			if steps, _ := b.grouped(); steps == 0 && name != "deferred" && name != "out of range" { // nobody is to blame for these two
				t.Error("nothing was committed as a group: the test shows nothing")
			}
			if n := b.count(`SELECT count(*) FROM idem.step_events WHERE event = 'discarded' AND reason = 'attempts_exhausted' AND error <> ''`); n != 1 {
				t.Error("the bad step's error was not recorded")
			}
		})
	}
}

func TestFivePercentFail(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 400
	action := NewAction[charge]("five_percent", WithMaxAttempts(2), WithBackoff(time.Millisecond))
	RegisterAction(b.reg, action, recordCharge)
	must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 {
		if i%20 == 7 {
			return -1
		}
		return int64(i)
	}), nil))
	b.work(slow())
	b.eventually("all have ended", func() bool { return b.count(`SELECT count(*) FROM idem.steps WHERE finished_at IS NULL`) == 0 })
	b.completedAtOnce(n - n/20)
	if got := b.count(`SELECT count(*) FROM idem.steps WHERE state = 'discarded' AND reason = 'attempts_exhausted' AND attempt = 2`); got != n/20 {
		t.Errorf("%d steps were discarded after two attempts, want %d", got, n/20)
	}
}

// Groups stop for a handler whose completions are often refused, and come back once they are not.
func TestGroupsStopAndResume(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("moody", WithMaxAttempts(1))
	RegisterAction(b.reg, action, recordCharge)
	b.work(slow())
	round := func(amount int64) {
		must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(100, func(int) int64 { return amount }), nil))
		b.eventually("the round is over", func() bool { return b.count(`SELECT count(*) FROM idem.steps WHERE finished_at IS NULL`) == 0 })
	}
	round(-1)
	h := b.reg.handlers["moody"]
	if commit.Grouped(h) {
		t.Fatalf("a hundred refused completions count as %d, which is not over the limit", h.Refused.Load())
	}
	before, _ := b.grouped()
	must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 1}))
	round(1)
	if after, _ := b.grouped(); !commit.Grouped(h) && after != before {
		t.Errorf("%d steps were grouped while the handler often failed", after-before)
	}
	for range 20 {
		if commit.Grouped(h) {
			break
		}
		round(1)
	}
	before, _ = b.grouped()
	for range 5 {
		round(1)
	}
	if after, _ := b.grouped(); after == before {
		t.Errorf("nothing is grouped again after hundreds of good completions; the share is %d", h.Refused.Load())
	}
}

// Rows that refer to each other are written in the order in which they were recorded.
func TestForeignKeyOrderWithinAStep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(`ALTER TABLE lines ADD FOREIGN KEY (run_id, node) REFERENCES ledger (run_id, node)`)
	const n = 30
	meet := together(n)
	action := NewAction[charge]("parent_child")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		meet()
		if err := recordCharge(ctx, in); err != nil {
			return err
		}
		for _, sku := range []string{"c", "a", "b"} {
			if err := lines.Record(ctx, sku, int64(1)); err != nil {
				return err
			}
		}
		return nil
	})
	b.work(slow())
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
	for _, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
	if got := b.count(`SELECT count(*) FROM lines`); got != 3*n {
		t.Errorf("%d lines, want %d", got, 3*n)
	}
}

// Two runs with one business key meet in a group: with the same payload it is one row, with another one the
// second is an integrity error that leaves the first alone.
func TestOneBusinessKeyTwiceInAGroup(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]int64{"same payload": 5, "other payload": 6} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			meet := together(2)
			action := NewAction[charge]("invoice")
			RegisterAction(b.reg, action, func(ctx Context, in charge) error {
				meet()
				return invoices.Record(ctx, "order-1", in.Amount)
			})
			cfg := slow()
			cfg.Committers = 1
			b.work(cfg)
			runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, []charge{{Amount: 5}, {Amount: second}}, nil))
			states := map[State]int{}
			for _, run := range runs {
				s := b.wait(run)
				states[s.State]++
				if s.Attempt != 1 || s.State == StateDiscarded && s.Reason != ReasonPayloadMismatch {
					t.Errorf("%s (%s), attempt %d", s.State, s.Reason, s.Attempt)
				}
			}
			want := 2
			if second == 6 {
				want = 1
			}
			if states[StateCompleted] != want || states[StateDiscarded] != 2-want {
				t.Errorf("%v, want %d completed", states, want)
			}
			if n := b.count(`SELECT count(*) FROM invoices`); n != 1 {
				t.Errorf("%d invoices, want 1", n)
			}
		})
	}
}

// Steps that write the same business keys crosswise do not deadlock: groups take their rows in one order.
func TestGroupsTakeRowsInKeyOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 200
	action := NewAction[charge]("crosswise")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		return invoices.Record(ctx, fmt.Sprintf("order-%d", in.Amount%10), in.Amount%10)
	})
	must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i * 7) }), nil))
	cfg := slow()
	cfg.Committers, cfg.GroupSteps = 4, 20
	b.work(cfg)
	b.work(cfg)
	b.eventually("all have ended", func() bool { return b.count(`SELECT count(*) FROM idem.steps WHERE finished_at IS NULL`) == 0 })
	if got := b.count(`SELECT count(*) FROM idem.steps WHERE state = 'completed' AND attempt = 1`); got != n {
		t.Errorf("%d completed at once, want %d", got, n)
	}
	if got := b.count(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); got != 0 {
		t.Errorf("%d deadlocks", got)
	}
}

// Heartbeats and completions update the same rows all the time; neither makes the other fail.
func TestHeartbeatsDoNotDisturbGroups(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 500
	action := NewAction[charge]("beaten")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		time.Sleep(time.Duration(in.Amount%7) * time.Millisecond)
		return recordCharge(ctx, in)
	})
	must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
	cfg := slow()
	cfg.Heartbeat = time.Millisecond
	b.work(cfg)
	b.eventually("all have ended", func() bool { return b.count(`SELECT count(*) FROM idem.steps WHERE finished_at IS NULL`) == 0 })
	b.completedAtOnce(n)
	for _, kind := range []EventKind{EventUnreachable, EventLeaseLost, EventRetried, EventReclaimed, EventUnknown} {
		if got := b.events.of(kind); len(got) != 0 {
			t.Errorf("%d %s events, the first is %+v", len(got), kind, got[0])
		}
	}
}

func TestGroupLimits(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*Config){
		"steps": func(c *Config) { c.GroupSteps = 3 },
		"bytes": func(c *Config) { c.GroupBytes = 3 * 1000 }, // a row of a step takes some 300
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			const n = 60
			meet := together(n)
			action := NewAction[charge]("limited")
			RegisterAction(b.reg, action, func(ctx Context, in charge) error {
				meet()
				return recordCharge(ctx, in)
			})
			must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
			cfg := slow()
			limit(&cfg)
			b.work(cfg)
			b.eventually("all have ended", func() bool { return b.count(`SELECT count(*) FROM idem.steps WHERE finished_at IS NULL`) == 0 })
			b.completedAtOnce(n)
			if _, most := b.grouped(); most > 20 {
				t.Errorf("a group had %d steps", most)
			}
		})
	}
}

// A commit that waits for somebody's lock holds nobody else's up.
func TestCommitsPassABlockedOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("invoice", WithTimeout(time.Minute))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error { return invoices.Record(ctx, in.User, in.Amount) })
	cfg := slow()
	cfg.Lease, cfg.Heartbeat, cfg.Logger = 2*time.Minute, time.Minute/2, slog.New(slog.DiscardHandler)
	b.work(cfg)
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND xact_start < $1`
	for round := range 5 {
		taken := fmt.Sprintf("taken-%d", round)
		tx := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
		if _, err := tx.Exec(t.Context(), `INSERT INTO invoices (run_id, node, order_id, payload_digest, total) VALUES ('other', 'other', $1, sha256('x'), 1)`, taken); err != nil {
			t.Fatal(err)
		}
		blocked := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{taken, 1}))
		b.eventually("a commit is blocked", func() bool { return b.count(waiting, time.Now().Add(time.Hour)) == 1 })
		var now time.Time
		if err := b.pool.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&now); err != nil {
			t.Fatal(err)
		}
		b.is(b.wait(must[Run](t)(action.Enqueue(t.Context(), b.client, charge{fmt.Sprintf("free-%d", round), 1}))), StateCompleted, "", 1, 0)
		passed := b.count(waiting, now) == 1 // the same commit, not the one that follows when it has given up
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.is(b.wait(blocked), StateCompleted, "", 1, 0)
		if passed {
			return
		}
	}
	t.Error("no commit passed one that was blocked, before that gave up")
}

// A write that breaks the server's session each time must not be tried for ever, as a lost connection would be.
func TestPoisonThatBreaksTheConnection(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		b.exec(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`)
		b.exec(`CREATE TRIGGER die AFTER INSERT ON ledger FOR EACH ROW WHEN (NEW.amount = 13) EXECUTE FUNCTION die()`)
		action := NewAction[charge](way, WithMaxAttempts(1))
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			if way == recorded {
				return recordCharge(ctx, in)
			}
			_, err := ledger.Insert(ctx, []any{new(string), new(int64), new(time.Time)}, in.User, in.Amount, nil)
			return err
		})
		runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(20, func(i int) int64 { return int64(i) }), nil))
		b.exec(`UPDATE idem.steps SET interruptions = $1 WHERE run_id = $2`, step.MaxInterruptions-1, runs[13].ID)
		b.work(slow())
		for i, run := range runs {
			end := b.wait(run)
			if i == 13 {
				b.is(end, StateDiscarded, ReasonAttemptsExhausted, 1, 0)
			} else if end.State != StateCompleted || end.Attempt != 1 {
				t.Errorf("neighbour %d: %+v", i, end)
			}
		}
		if n := b.count(`SELECT count(*) FROM ledger`); n != 19 {
			t.Errorf("%d ledger rows, want 19", n)
		}
	})
}

// Conflicts are counted by themselves: an outage before them uses none of their tries up.
func TestConflictsAfterAnOutage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(`CREATE SEQUENCE failures; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n bigint := nextval('failures');
BEGIN IF n <= 5 THEN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; ELSIF n <= 7 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$`)
	b.exec(`CREATE TRIGGER fail AFTER INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION fail()`)
	action := NewAction[charge]("unlucky", WithMaxAttempts(1))
	RegisterAction(b.reg, action, recordCharge)
	b.work(slow())
	run := b.charge(action)
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	b.effects(run, 1)
}
