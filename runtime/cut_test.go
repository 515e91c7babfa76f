package runtime

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/wire"
)

// proxied is a pool on the test's database by way of a proxy.
func (b *bench) proxied() (*pgxpool.Pool, *wire.Proxy) {
	b.Helper()
	proxy := wire.Start(b, b.pool.Config().ConnString())
	cfg := must[*pgxpool.Config](b)(pgxpool.ParseConfig(proxy.URL()))
	pool := must[*pgxpool.Pool](b)(pgxpool.NewWithConfig(context.Background(), cfg))
	b.Cleanup(pool.Close)
	return pool, proxy
}

func wireStatement(text string) wire.Match { return wire.Statement(text) }

// completion picks the request that completes a step.
var completion = wire.Statement("SET state = 'completed'")

// cutAt runs a step whose worker loses the connection at the completion.
func cutAt(b *bench, way string, cut func(*wire.Proxy) *wire.Cut) StepStatus {
	b.Helper()
	pool, proxy := b.proxied()
	action := NewAction[charge](way)
	RegisterAction(b.reg, action, charger(way, b.pool))
	c := cut(proxy)
	b.workOn(pool, slow())
	run := b.charge(action)
	end := b.wait(run)
	b.fired(c)
	b.written(run, way, 1)
	return end
}

// fired makes sure that the connection was cut: else the test shows nothing.
func (b *bench) fired(c *wire.Cut) {
	b.Helper()
	select {
	case <-c.Fired():
	case <-time.After(patience):
		b.Error("the connection was never cut: the test shows nothing")
	}
}

// F04: the server commits, and the worker never hears of it. It reads the step again.
func TestF04_ReplyToTheCommitIsLost(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		end := cutAt(b, way, func(p *wire.Proxy) *wire.Cut { return p.CutReply(completion) })
		b.is(end, StateCompleted, "", 1, 0)
		b.ran(Run{ID: end.RunID, Node: end.Node}, 1)
		b.saw(EventCompleted, 1)
		if n := len(b.events.of(EventUnknown)); n != 1 {
			t.Errorf("%d unknown outcomes were reported, want 1", n)
		}
		for _, kind := range []EventKind{EventLeaseLost, EventRetried, EventReclaimed} {
			if n := len(b.events.of(kind)); n != 0 {
				t.Errorf("%d %s events", n, kind)
			}
		}
	})
}

// F05: the commit never arrives. Nothing of it is there, and the step is completed later without a new
// attempt.
func TestF05_CommitNeverArrives(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		end := cutAt(b, way, func(p *wire.Proxy) *wire.Cut { return p.CutRequest(completion) })
		b.is(end, StateCompleted, "", 1, 0)
	})
}

// The network is cut, and the server does not notice: the session keeps its transaction and its locks while the
// worker looks for the outcome.
func TestF05_ServerKeepsTheSession(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		end := cutAt(b, way, func(p *wire.Proxy) *wire.Cut { return p.CutRequest(completion, wire.Hold(time.Second)) })
		b.is(end, StateCompleted, "", 1, 0)
	})
}

// The same for the other direction: committed, with the session left open.
func TestF04_ServerKeepsTheSession(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		end := cutAt(b, way, func(p *wire.Proxy) *wire.Cut { return p.CutReply(completion, wire.Hold(time.Second)) })
		b.is(end, StateCompleted, "", 1, 0)
		b.ran(Run{ID: end.RunID, Node: end.Node}, 1)
	})
}

// The server is still committing when the connection is lost and the worker reads the step again: what it then
// does waits for that commit, and finds it.
func TestF04_ServerIsStillCommitting(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		b.exec(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$`)
		b.exec(`CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON ledger DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold()`)
		open := b.lock()
		pool, proxy := b.proxied()
		action := NewAction[charge](way)
		RegisterAction(b.reg, action, charger(way, b.pool))
		b.workOn(pool, slow())
		run := b.charge(action)
		b.eventually("the server is held at the commit", func() bool { return b.count(`SELECT count(*)`+waitingAtLock) == 1 })
		proxy.DropCancels() // pgx sends one when it has lost the connection, which would abort the commit
		allow := proxy.Refuse()
		proxy.Disconnect()
		b.saw(EventUnknown, 1)
		b.saw(EventUnreachable, 1)
		allow()
		open()
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		b.written(run, way, 1)
		b.ran(run, 1)
		b.saw(EventCompleted, 1)
	})
}

// A connection that is lost within the handler is no fault of the handler: the attempt stays, however it says
// what happened, or if it says nothing.
func TestConnectionLostInHandler(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]func(ctx Context, tx Tx) error{
		"Exec":     func(ctx Context, tx Tx) error { _, err := tx.Exec(ctx, `SELECT 'lost'`); return err },
		"QueryRow": func(ctx Context, tx Tx) error { return tx.QueryRow(ctx, `SELECT 'lost'`).Scan(new(string)) },
		"Query": func(ctx Context, tx Tx) error {
			rows, err := tx.Query(ctx, `SELECT 'lost'`)
			if err != nil {
				return err
			}
			_, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		},
		"SendBatch": func(ctx Context, tx Tx) error {
			b := &pgx.Batch{}
			b.Queue(`SELECT 'lost'`)
			return tx.SendBatch(ctx, b).Close()
		},
		"Insert": func(ctx Context, tx Tx) error {
			_, err := ledger.Insert(ctx, []any{new(string), new(int64), new(time.Time)}, "lost", int64(1), nil)
			return err
		},
	} {
		for what, say := range map[string]func(error) error{
			"returned":  func(err error) error { return err },
			"reworded":  func(err error) error { return errors.New("could not charge: " + err.Error()) },
			"swallowed": func(error) error { return nil },
		} {
			for reply, cutReply := range map[string]bool{"request": false, "reply": true} {
				if what == "reworded" && (cutReply || name != "Exec") {
					continue
				}
				t.Run(name+"/"+what+"/"+reply, func(t *testing.T) {
					t.Parallel()
					b := newBench(t)
					pool, proxy := b.proxied()
					match := func(r wire.Request) bool {
						text := strings.Join(append(r.Statements, r.Prepares...), ";")
						return strings.Contains(text, "'lost'") || name == "Insert" && strings.Contains(text, `RETURNING "user_id"`)
					}
					cut := proxy.CutRequest
					if cutReply {
						cut = proxy.CutReply
					}
					c := cut(match)
					var runs atomic.Int32
					action := NewAction[charge]("lossy")
					RegisterAction(b.reg, action, func(ctx Context, in charge) error {
						if runs.Add(1) > 1 {
							return writeCharge(ctx, direct, in)
						}
						if _, err := ctx.CompletionTx().Exec(ctx, `UPDATE accounts SET balance = balance + 1`); err != nil {
							return err
						}
						err := statement(ctx, ctx.CompletionTx())
						if err == nil {
							t.Error("the statement on the cut connection succeeded")
						}
						return say(err)
					})
					b.workOn(pool, slow())
					run := b.charge(action)
					b.is(b.wait(run), StateCompleted, "", 1, 0)
					b.written(run, direct, 1)
					b.fired(c)
				})
			}
		}
	}
}

// The claim's answer is lost: its steps are leased to nobody, until the sweep finds them.
func TestClaimAnswerIsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	pool, proxy := b.proxied()
	action := NewAction[charge]("claimed")
	RegisterAction(b.reg, action, charger(recorded, b.pool))
	run := b.charge(action)
	c := proxy.CutReply(wire.Statement("SET state = 'running'"))
	b.workOn(pool, slow())
	<-c.Fired()
	b.eventually("the claim is committed", func() bool { return b.now(run).State == StateRunning })
	b.expire(run)
	b.is(b.wait(run), StateCompleted, "", 1, 1)
	b.written(run, recorded, 1)
	b.ran(run, 1)
}

// The answer to a settling statement is lost: asking again finds the step settled, and does not settle twice.
func TestSettleAnswerIsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	pool, proxy := b.proxied()
	action := NewAction[charge]("settled", WithBackoff(time.Millisecond))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if ctx.Attempt() == 1 {
			return errors.New("once")
		}
		return writeCharge(ctx, recorded, in)
	})
	c := proxy.CutReply(wire.Statement("WITH settled AS"))
	b.workOn(pool, slow())
	run := b.charge(action)
	b.is(b.wait(run), StateCompleted, "", 2, 0)
	<-c.Fired()
	b.written(run, recorded, 1)
	if n := b.count(`SELECT count(*) FROM idem.step_events WHERE event = 'retried'`); n != 1 {
		t.Errorf("%d retries in the events, want 1", n)
	}
}

// A heartbeat that is lost costs no lease.
func TestHeartbeatIsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	pool, proxy := b.proxied()
	cfg := slow()
	cfg.Heartbeat = 20 * time.Millisecond
	free := make(chan struct{})
	action := NewAction[charge]("long")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		<-free
		return writeCharge(ctx, recorded, in)
	})
	request := proxy.CutRequest(wire.Statement("WITH held AS"))
	b.workOn(pool, cfg)
	run := b.charge(action)
	<-request.Fired()
	reply := proxy.CutReply(wire.Statement("WITH held AS"))
	<-reply.Fired()
	close(free)
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	b.written(run, recorded, 1)
}

// ReadBack is only asked about a step that was there; if it was purged meanwhile, that is an answer too.
func TestReadBackOfAPurgedStep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	RegisterAction(b.reg, NewAction[charge]("purged"), recordCharge)
	w := b.idle(slow())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if held, completed, err := w.held.ReadBack(&lease.Held{ID: 12345}); held || completed || err != nil {
			t.Errorf("held %v, completed %v, %v; want neither", held, completed, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it asks without end")
	}
}
