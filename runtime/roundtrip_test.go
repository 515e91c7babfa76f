package runtime

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idem-go/idem/runtime/internal/wire"
)

// tripsOf are the requests that belong to steps, and not to the worker's own life of claims, heartbeats,
// sweeps and notifications.
type tripsOf struct {
	mu       sync.Mutex
	requests []wire.Request
}

func (r *tripsOf) note(req wire.Request) {
	text := strings.Join(append(req.Statements, req.Prepares...), ";")
	for _, own := range []string{"SET state = 'running'", "WHERE state = 'pending' AND queue", "WITH held AS", "WITH expired AS", "WHERE state = 'running' AND lease_expires_at <", "pg_notify", "LISTEN", "schema_version"} {
		if strings.Contains(text, own) {
			return
		}
	}
	if text == "" || text == ";" || strings.HasPrefix(text, "-- ping") { // how pgx's pool looks after an idle connection
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req)
}

func (r *tripsOf) take() []wire.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.requests
	r.requests = nil
	return all
}

// counted runs a worker behind a proxy until its connections know the statements, and gives what counts.
func counted(b *bench, cfg Config, action *Action[charge]) *tripsOf {
	b.Helper()
	pool, proxy := b.proxied()
	trips := &tripsOf{}
	proxy.Observe(trips.note)
	b.workOn(pool, cfg)
	for range 6 { // more often than there are connections
		b.is(b.wait(b.charge(action)), StateCompleted, "", 1, 0)
	}
	b.saw(EventCompleted, 6)
	trips.take()
	return trips
}

func prepares(requests []wire.Request) bool {
	return slices.ContainsFunc(requests, func(r wire.Request) bool { return len(r.Prepares) > 0 })
}

// A single connection of each kind: whatever was prepared once, is.
func single() Config {
	cfg := slow()
	cfg.Connections, cfg.Committers = 1, 1
	return cfg
}

func TestRoundTripsOfASingleStep(t *testing.T) {
	for name, c := range map[string]struct {
		handler func(Context, charge) error
		want    int
	}{
		"one record":           {recordCharge, 1},
		"record and follow-up": {func(ctx Context, in charge) error { return writeCharge(ctx, recorded, in) }, 1},
		"nothing":              {func(Context, charge) error { return nil }, 1},
		"one direct statement": {func(ctx Context, in charge) error {
			_, err := ctx.CompletionTx().Exec(ctx, `UPDATE accounts SET balance = balance + $1 WHERE user_id = $2`, in.Amount, in.User)
			return err
		}, 2},
		"records before and after a direct statement": {func(ctx Context, in charge) error {
			if err := recordCharge(ctx, in); err != nil {
				return err
			}
			if _, err := ctx.CompletionTx().Exec(ctx, `UPDATE accounts SET balance = balance + $1 WHERE user_id = $2`, in.Amount, in.User); err != nil {
				return err
			}
			return lines.Record(ctx, "sku", in.Amount)
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			action := NewAction[charge]("counted")
			RegisterAction(b.reg, action, c.handler)
			trips := counted(b, single(), action)
			for range 20 {
				before := len(b.events.of(EventCompleted))
				b.is(b.wait(b.charge(action)), StateCompleted, "", 1, 0)
				events := b.saw(EventCompleted, before+1)
				got := trips.take()
				if prepares(got) {
					continue // a connection of the worker's that had not seen the statements yet
				}
				if len(got) != c.want {
					t.Errorf("%d round trips, want %d: %v", len(got), c.want, got)
				}
				if reported := events[len(events)-1].Trips; reported != c.want {
					t.Errorf("the observer was told of %d round trips, want %d", reported, c.want)
				}
				return
			}
			t.Error("each step met a connection that had to prepare its statements")
		})
	}
}

// 50 steps that finish together share their round trips.
func TestRoundTripsOfAGroup(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n, rounds = 50, 10
	together50 := func() {}
	var mu sync.Mutex
	action := NewAction[charge]("grouped")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		mu.Lock()
		wait := together50
		mu.Unlock()
		wait()
		return recordCharge(ctx, in)
	})
	cfg := slow()
	cfg.Queues = map[string]int{DefaultQueue: n}
	trips := counted(b, cfg, action)
	groupsBefore, completedBefore := len(b.events.of(EventGroup)), len(b.events.of(EventCompleted))
	for range rounds {
		mu.Lock()
		together50 = together(n)
		mu.Unlock()
		must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
		b.eventually("the round is over", func() bool { return b.count(`SELECT count(*) FROM idem.steps WHERE finished_at IS NULL`) == 0 })
	}
	b.saw(EventCompleted, completedBefore+n*rounds)
	got := trips.take()
	if perStep := float64(len(got)) / (n * rounds); perStep >= 0.2 || len(got) == 0 {
		t.Errorf("%.3f round trips a step (%d in all), want fewer than 0.2", perStep, len(got))
	}
	reported, steps, onWire := 0, 0, 0
	for _, req := range got {
		if len(req.Statements) > 0 { // the others prepare what a new connection does not know yet
			onWire++
		}
	}
	for _, e := range b.events.of(EventGroup)[groupsBefore:] {
		reported += e.Trips
		steps += e.Count
	}
	if reported != onWire || steps != n*rounds {
		t.Errorf("the observer was told of %d round trips for %d steps; on the wire there were %d for %d", reported, steps, onWire, n*rounds)
	}
	t.Logf("%.3f round trips a step", float64(len(got))/(n*rounds))
}
