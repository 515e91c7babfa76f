package faulttest

import (
	"errors"
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime"
)

// errInjected is what a failing handler returns.
var errInjected = errors.New("faulttest: this attempt fails on purpose")

// first does something at the first execution, and lets the others be.
func first(f func(x *execution) (any, error)) func(x *execution) (any, error) {
	return func(x *execution) (any, error) {
		if x.n > 1 {
			return x.handler()
		}
		return f(x)
	}
}

// failures are attempts that fail by themselves.
func failures() []*fault {
	return []*fault{
		{
			name: "an error after the write",
			around: first(func(x *execution) (any, error) {
				_, _ = x.write()
				x.fire()
				return nil, errInjected
			}),
			want: want{attempt: exactly(2), runs: exactly(2)},
		}, {
			name: "a panic after the write",
			around: first(func(x *execution) (any, error) {
				_, _ = x.write()
				x.fire()
				panic(errInjected)
			}),
			want: want{attempt: exactly(2), runs: exactly(2)},
		}, {
			name: swallowedError,
			around: first(func(x *execution) (any, error) {
				out, _ := x.write()
				if _, err := x.ctx.CompletionTx().Exec(x.ctx, `SELECT 1/0`); err != nil {
					x.fire()
				}
				return out, nil
			}),
			want: want{attempt: exactly(2), runs: exactly(2)},
		}, {
			name:   "an error at every attempt",
			limits: func(l *limits) { l.attempts = 3 },
			around: func(x *execution) (any, error) {
				_, _ = x.write()
				x.fire()
				return nil, errInjected
			},
			want: want{state: runtime.StateDiscarded, reason: runtime.ReasonAttemptsExhausted, attempt: exactly(3), runs: exactly(3)},
		},
	}
}

// What the harness does itself on purpose in these is not held against the handler.
const (
	swallowedError = "an SQL error that is swallowed"
	lateWrite      = "timeout, and the handler writes long after it"
)

func (f *fault) swallows() bool { return f.name == swallowedError }
func (f *fault) outlives() bool { return f.name == lateWrite }

// timeouts are attempts that take too long.
func timeouts() []*fault {
	want := want{attempt: exactly(2), runs: exactly(2)}
	return []*fault{
		{
			name: "timeout after the write",
			around: first(func(x *execution) (any, error) {
				_, _ = x.write()
				<-x.ctx.Done()
				x.fire()
				return nil, x.ctx.Err()
			}),
			play: func(tr *trial) { tr.timeOut(runtime.EventRetried); tr.wait() },
			want: want,
		}, {
			name: "timeout before the write, which is tried all the same",
			around: first(func(x *execution) (any, error) {
				<-x.ctx.Done()
				x.fire()
				return x.handler()
			}),
			play: func(tr *trial) { tr.timeOut(runtime.EventRetried); tr.wait() },
			want: want,
		},
		outliving(want),
	}
}

// timeOut enqueues the step, has it time out in a first worker, and starts a second one with ordinary times.
func (tr *trial) timeOut(then runtime.EventKind) {
	if !tr.enqueued() {
		return
	}
	slow := tr.work(timingOut, func(w *workPlan) {
		if then == runtime.EventStuck {
			w.config.Grace = 30 * time.Millisecond
		}
	})
	if !tr.events.await(1, then) {
		tr.problem("the attempt did not time out")
		return
	}
	tr.until(func() bool { return tr.look().State != runtime.StateRunning })
	slow.stop()
	tr.work()
	tr.due()
}

// outliving is a handler that goes on when its step has long been completed by somebody else.
func outliving(w want) *fault {
	f := &fault{name: lateWrite, want: w}
	f.around = first(func(x *execution) (any, error) {
		<-x.ctx.Done()
		select {
		case <-x.gate:
		case <-time.After(patience):
		}
		defer close(x.gone)
		x.fire()
		return x.handler()
	})
	f.play = func(tr *trial) {
		tr.timeOut(runtime.EventStuck)
		tr.wait()
		close(tr.gate)
		tr.leave("its context had ended before it began")
	}
	return f
}

// leave waits for a handler whose context has ended to return.
func (tr *trial) leave(why string) {
	select {
	case <-tr.gone:
	case <-time.After(3 * time.Second):
		tr.problem("the handler does not return although %s: it does not look at its context", why)
	}
}

// losses are leases that are lost while the handler runs.
func losses() []*fault {
	return []*fault{
		{
			name: "the lease runs out after the write, and another worker takes over",
			around: first(func(x *execution) (any, error) {
				out, err := x.write()
				x.loseLease()
				return out, err
			}),
			want: want{reclaims: 1, runs: exactly(2)},
		}, {
			name: "the lease runs out before the write, which comes when another worker has completed the step",
			around: first(func(x *execution) (any, error) {
				defer close(x.gone)
				x.loseLease()
				if !x.until(func() bool { return x.events.of(runtime.EventCompleted) > 0 }) {
					x.problem("no other worker completed the step")
				}
				return x.handler()
			}),
			play: func(tr *trial) { tr.play(); tr.leave("its lease was lost") },
			want: want{reclaims: 1, runs: exactly(2)},
		}, {
			name:   "the lease runs out at every run, until the limit",
			limits: func(l *limits) { l.reclaims = new(2) },
			around: func(x *execution) (any, error) {
				out, err := x.write()
				x.loseLease()
				return out, err
			},
			want: want{state: runtime.StateDiscarded, reason: runtime.ReasonReclaimLimit, reclaims: 2, runs: exactly(3)},
		}, {
			name: "an attempt fails, and the next one loses its lease",
			around: func(x *execution) (any, error) {
				if x.n > 2 {
					return x.handler()
				}
				out, err := x.write()
				if x.n == 1 {
					return nil, errInjected
				}
				x.loseLease()
				return out, err
			},
			want: want{attempt: exactly(2), reclaims: 1, runs: exactly(3)},
		}, {
			name: "cancelled after the write",
			around: first(func(x *execution) (any, error) {
				out, err := x.write()
				if n, err := x.client(x.pool).Cancel(x.trial.ctx, x.run.ID, x.run.Node); err != nil || n != 1 {
					x.problem("it cannot be cancelled: %d steps, %v", n, err)
				}
				x.fire()
				return out, err
			}),
			want: want{state: runtime.StateCancelled, reason: runtime.ReasonCancelled},
		}, {
			name: "cut off from the database after the write",
			around: first(func(x *execution) (any, error) {
				out, err := x.write()
				allow := x.proxy.Refuse()
				x.proxy.Disconnect()
				x.trial.work() // another one, which is not cut off
				x.loseLease()
				go func() {
					x.until(func() bool { return x.look().State.Ended() })
					allow()
				}()
				return out, err
			}),
			play: func(tr *trial) {
				if !tr.enqueued() {
					return
				}
				tr.workQuietly()
				tr.events.await(1, runtime.EventCompleted)
				tr.wait()
				if !tr.events.await(1, runtime.EventLeaseLost) {
					tr.problem("the worker that was cut off was never told that its lease is lost")
				}
			},
			want: want{reclaims: 1, runs: exactly(2)},
		},
	}
}

// loseLease lets the lease run out, and returns when the step has been taken back.
func (x *execution) loseLease() {
	before := x.events.of(runtime.EventReclaimed) + x.events.of(runtime.EventDiscarded)
	x.expire()
	if !x.events.await(before+1, runtime.EventReclaimed, runtime.EventDiscarded) {
		x.problem("the sweep did not take the step back")
		return
	}
	x.fire()
}

// deliveries are about who runs the step, and when.
func deliveries() []*fault {
	return []*fault{
		{
			name: "the worker is stopped after the write",
			around: first(func(x *execution) (any, error) {
				_, _ = x.write()
				close(x.gate)
				<-x.ctx.Done()
				x.fire()
				return nil, x.ctx.Err()
			}),
			play: func(tr *trial) {
				if !tr.enqueued() {
					return
				}
				stopped := tr.work()
				if !tr.opened() {
					return
				}
				stopped.stop()
				tr.work()
				tr.wait()
			},
			want: want{runs: exactly(2)},
		},
		{name: "offered to two workers at once", play: (*trial).playTwoWorkers},
	}
}

// opened waits for the handler to open the gate.
func (tr *trial) opened() bool {
	select {
	case <-tr.gate:
		return true
	case <-time.After(patience):
		tr.problem("the handler was not run")
		return false
	}
}

// playTwoWorkers holds the claims of two workers back until both of them are under way.
func (tr *trial) playTwoWorkers() {
	if !tr.enqueued() {
		return
	}
	meet := newMeeting(2, tr.fire)
	for range 2 {
		tr.work(through(tr.meetingWire(meet)))
	}
	tr.wait()
}

// refusals are conflicts that the database reports.
func refusals(written []table) []*fault {
	list := []*fault{
		{
			name: "a serialization failure at the commit",
			play: func(tr *trial) { tr.playRefused(`"idem".steps`, "40001", 1, true) },
			want: want{runs: span{1, 2}},
		},
	}
	for _, t := range written {
		list = append(list, &fault{
			name: "a serialization failure at a write to " + t.name,
			play: func(tr *trial) { tr.playRefused(t.sql, "40001", 1, false) },
			want: want{attempt: span{1, 2}, runs: span{1, 2}}, // a second one where the handler hides the code in its error
		}, &fault{
			name: "an error at a write to " + t.name,
			// Twice, as what is refused in a group is tried again alone.
			play: func(tr *trial) { tr.playRefused(t.sql, "P0001", 2, false) },
			want: want{attempt: span{2, 3}, runs: span{2, 3}},
		})
	}
	return list
}

// playRefused has the database refuse the first writes to a table. A sequence counts them, as it survives the rollback.
func (tr *trial) playRefused(table, code string, times int, atCommit bool) {
	timing, trigger := "BEFORE INSERT OR UPDATE OR DELETE", "FOR EACH STATEMENT"
	kind := "TRIGGER"
	if atCommit {
		kind, timing = "CONSTRAINT TRIGGER", "AFTER UPDATE"
		trigger = "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state = 'completed')"
	}
	if !tr.enqueued() {
		return
	}
	tr.exec(fmt.Sprintf(`CREATE SCHEMA %[1]s; CREATE SEQUENCE %[1]s.shots;
		CREATE FUNCTION %[1]s.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('%[1]s.shots') <= %[7]d THEN RAISE EXCEPTION 'faulttest: refused on purpose' USING ERRCODE = '%[2]s'; END IF;
			IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
			RETURN NEW; END $$;
		CREATE %[3]s idem_faulttest %[4]s ON %[5]s %[6]s EXECUTE FUNCTION %[1]s.refuse()`,
		harnessSchema, code, kind, timing, table, trigger, times))
	tr.work()
	tr.wait()
	var shots int
	if err := tr.pool.QueryRow(tr.ctx, `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM `+harnessSchema+`.shots`).Scan(&shots); err != nil {
		tr.problem("the fault cannot be read: %v", err)
	}
	if shots > 0 {
		tr.fire()
	}
}
