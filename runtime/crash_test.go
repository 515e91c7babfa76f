package runtime

import (
	"errors"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/probe"
)

// crash kills a worker process when its step passes point.
func (b *bench) crash(way string, point probe.Point) {
	b.Helper()
	c := b.spawn(way, point)
	c.await("at " + string(point))
	c.kill()
}

// recover takes the run over from its dead worker and returns its end.
func (b *bench) recover(run Run, way string) StepStatus {
	b.Helper()
	RegisterAction(b.reg, NewAction[charge](way), charger(way, b.pool))
	b.expire(run)
	b.work(slow())
	return b.wait(run)
}

// crashes is a test of a step whose only worker dies at point, before the commit.
func crashes(t *testing.T, point probe.Point, runsBefore int) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		run := b.charge(NewAction[charge](way))
		b.crash(way, point)
		b.is(b.now(run), StateRunning, "", 1, 0)
		b.written(run, way, 0)
		b.ran(run, runsBefore)
		b.is(b.recover(run, way), StateCompleted, "", 1, 1)
		b.written(run, way, 1)
		b.ran(run, runsBefore+1)
	})
}

func TestF01_DiesAfterClaim(t *testing.T)       { crashes(t, probe.ClaimAfterCommit, 0) }
func TestF01_DiesBeforeAnyWrite(t *testing.T)   { crashes(t, probe.HandlerStart, 0) }
func TestF02_DiesAfterWrite(t *testing.T)       { crashes(t, probe.HandlerAfterWrite, 1) }
func TestF02_DiesBeforeCompletion(t *testing.T) { crashes(t, probe.CompleteBeforeFence, 1) }

// The server is between the fence and the end of the commit: a deferred trigger of the ledger holds it there.
// Whether it goes on is not the dead worker's business any more; either way the effect is there once.
func TestF03_DiesBetweenFenceAndCommit(t *testing.T) {
	for name, serverDiesToo := range map[string]bool{"server commits": false, "server aborts": true} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, b *bench, way string) {
				b.exec(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$`)
				b.exec(`CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON ledger DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold()`)
				gate := b.lock()
				run := b.charge(NewAction[charge](way))
				c := b.spawn(way, "")
				b.eventually("the server is held at the commit", func() bool { return b.count(`SELECT count(*)`+waitingAtLock) == 1 })
				c.kill()
				b.is(b.now(run), StateRunning, "", 1, 0)
				b.written(run, way, 0)
				reclaims := 0
				if serverDiesToo {
					reclaims = 1
					b.exec(`SELECT pg_terminate_backend(pid)` + waitingAtLock)
				}
				gate()
				b.eventually("the server is through", func() bool {
					return b.count(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) == 0
				})
				b.is(b.recover(run, way), StateCompleted, "", 1, reclaims)
				b.written(run, way, 1)
				b.ran(run, 1+reclaims)
			})
		})
	}
}

func TestF06_DiesAfterCommit(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		run := b.charge(NewAction[charge](way))
		b.crash(way, probe.CommitAfter)
		b.is(b.now(run), StateCompleted, "", 1, 0)
		b.is(b.recover(run, way), StateCompleted, "", 1, 0)
		b.written(run, way, 1)
		b.ran(run, 1)
	})
}

func TestF07_DiesOnEveryRunUntilTheLimit(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		run := b.charge(NewAction[charge](way, WithMaxReclaims(3)))
		for range 4 {
			b.crash(way, probe.HandlerAfterWrite)
			b.expire(run)
		}
		b.is(b.recover(run, way), StateDiscarded, ReasonReclaimLimit, 1, 3)
		b.written(run, way, 0)
		b.ran(run, 4)
		if n := b.count(`SELECT count(*) FROM idem.step_events WHERE event = 'reclaimed'`); n != 3 {
			t.Errorf("%d reclaims in the events, want 3", n)
		}
	})
}

// The limit is for a step that takes its worker with it at every run. A run that came back, with an error, was none of those:
// the count begins anew with the attempt that follows, however many reclaims there were before.
func TestReclaimLimitIsOfAnAttempt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	fails := true
	action := NewAction[charge]("unlucky", WithMaxReclaims(2), WithBackoff(time.Hour))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if fails {
			return errors.New("once")
		}
		return recordCharge(ctx, in)
	})
	w := b.idle(slow())
	run := b.charge(action)
	diesTwice := func() {
		t.Helper()
		for range 2 {
			b.claimed(w, run)
			b.expire(run)
			if n := must[int](t)(w.sweeper.SweepPage(beginning)); n != 1 {
				t.Fatalf("swept %d steps", n)
			}
		}
	}
	diesTwice()
	stop := b.work(slow())
	b.eventually("the attempt has failed", func() bool { return b.now(run).Attempt == 2 })
	stop()
	b.exec(`UPDATE idem.steps SET scheduled_at = now()`)
	if s := b.now(run); s.Reclaims != 0 {
		t.Errorf("the second attempt begins with %d reclaims", s.Reclaims)
	}
	if n := b.count(`SELECT max(reclaims) FROM idem.step_events WHERE event = 'retried'`); n != 2 {
		t.Errorf("the attempt that failed is recorded with %d reclaims, want 2", n)
	}
	diesTwice()
	fails = false
	b.work(slow())
	b.is(b.wait(run), StateCompleted, "", 2, 2)
	b.effects(run, 1)
}

// Without a limit a step is taken over as often as it takes.
func TestReclaimsAreUnboundedByDefault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := b.charge(NewAction[charge](recorded))
	b.exec(`UPDATE idem.steps SET reclaims = 1000`)
	b.crash(recorded, probe.HandlerStart)
	b.is(b.recover(run, recorded), StateCompleted, "", 1, 1001)
	b.written(run, recorded, 1)
}

// The lease runs out by itself, and another worker process takes over.
func TestDeadWorkersLeaseRunsOut(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		run := b.charge(NewAction[charge](way))
		c := b.spawn(way, probe.HandlerAfterWrite, childLease+"=short")
		c.await("at ")
		c.kill()
		second := b.spawn(way, "", childLease+"=short")
		b.is(b.wait(run), StateCompleted, "", 1, 1)
		b.written(run, way, 1)
		b.ran(run, 2)
		second.kill()
	})
}
