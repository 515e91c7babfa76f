package faulttest

import (
	"fmt"
	"time"
)

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
		{
			name:   "offered to two workers at once",
			around: func(x *execution) (any, error) { x.opened(); return x.handler() },
			play:   func(tr *trial) { tr.playTwoWorkers(); tr.wait() },
		},
	}
}

// opened waits for the handler to open the gate.
func (tr *trial) opened() bool {
	select {
	case <-tr.gate:
		return true
	case <-time.After(tr.patience()):
		tr.problem("the handler was not run")
		return false
	}
}

// playTwoWorkers holds the claims of two workers back until the database has begun both: each has then seen the step
// waiting. The handler waits until both have been answered.
func (tr *trial) playTwoWorkers() {
	if !tr.enqueued() {
		return
	}
	release := tr.holdClaims()
	defer close(tr.gate)
	tr.work()
	tr.work()
	if tr.until(func() bool { return tr.underWay(claimSQL, "wait_event = 'advisory'") == 2 }) {
		tr.fire()
	}
	release()
	if !tr.until(func() bool { return tr.underWay(claimSQL, "true") == 0 }) {
		tr.problem("the claims do not end")
	}
}

// holdClaims lets no worker's claim get on. Statements see what was there when they began: before their triggers.
func (tr *trial) holdClaims() (release func()) {
	conn, err := tr.pool.Acquire(tr.ctx)
	if err != nil {
		tr.problem("the fault cannot be prepared: %v", err)
		return func() {}
	}
	tr.exec(fmt.Sprintf(`CREATE SCHEMA %[1]s;
		CREATE FUNCTION %[1]s.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
		CREATE TRIGGER idem_faulttest BEFORE UPDATE ON "idem".steps FOR EACH STATEMENT EXECUTE FUNCTION %[1]s.hold()`, harnessSchema))
	if _, err := conn.Exec(tr.ctx, `SELECT pg_advisory_lock(1)`); err != nil {
		tr.problem("the fault cannot be prepared: %v", err)
	}
	return func() {
		defer conn.Release()
		if _, err := conn.Exec(tr.ctx, `SELECT pg_advisory_unlock(1)`); err != nil {
			tr.problem("the claims cannot be let go on: %v", err)
		}
	}
}

// underWay counts the statements with some SQL that the database is about to execute, of those that a condition holds for.
func (tr *trial) underWay(sql, condition string) (n int) {
	if err := tr.pool.QueryRow(tr.ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
		AND strpos(query, $1) > 0 AND pid <> pg_backend_pid() AND `+condition, sql).Scan(&n); err != nil {
		tr.problem("the statements under way cannot be seen: %v", err)
	}
	return n
}
