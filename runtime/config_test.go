package runtime

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

func registryOf(opts ...Option) *Registry {
	r := NewRegistry()
	RegisterAction(r, NewAction[charge]("x", opts...), recordCharge)
	return r
}

// lazyPool is never connected.
func lazyPool(t *testing.T) *pgxpool.Pool {
	pool := must[*pgxpool.Pool](t)(pgxpool.New(t.Context(), "postgres://nowhere.invalid/x"))
	t.Cleanup(pool.Close)
	return pool
}

// An order of times that makes duplicates is refused, and the error says what to change.
func TestOrderOfTimesIsChecked(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for name, c := range map[string]struct {
		cfg     Config
		timeout time.Duration
		wrong   string // what the refusal speaks of; "": accepted
	}{
		"defaults":                   {Config{}, 30 * s, ""},
		"long timeout by default":    {Config{}, time.Hour, ""},
		"timeout equals lease":       {Config{Lease: 10 * s, Grace: 1}, 10 * s, "Lease"},
		"with the grace it is equal": {Config{Lease: 10 * s, Grace: 2 * s}, 8 * s, "Grace"},
		"just below":                 {Config{Lease: 10 * s, Grace: 2 * s}, 8*s - 1, ""},
		"above the lease":            {Config{Lease: 10 * s}, 11 * s, "timeout"},
		"heartbeat too rare":         {Config{Lease: 30 * s, Grace: 1, Heartbeat: 10*s + 1}, s, "Heartbeat"},
		"heartbeat just in time":     {Config{Lease: 30 * s, Grace: 1, Heartbeat: 10 * s}, s, ""},
		"negative lease":             {Config{Lease: -1}, s, "Lease"},
		"negative poll":              {Config{Poll: -1}, s, "Poll"},
		"negative shutdown":          {Config{Shutdown: -1}, s, "Shutdown"},
		"negative grace":             {Config{Grace: -1}, s, "Grace"},
		"negative sweep":             {Config{Sweep: -1}, s, "Sweep"},
		"no concurrency":             {Config{Queues: map[string]int{DefaultQueue: 0}}, s, "Queues"},
		"unknown queue":              {Config{Queues: map[string]int{"mail": 1}}, s, "mail"},
	} {
		_, err := NewWorker(lazyPool(t), registryOf(WithTimeout(c.timeout)), c.cfg)
		switch {
		case c.wrong == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s: %v, want a refusal that speaks of %s", name, err, c.wrong)
		}
	}
}

// Whatever is left to its default keeps the order.
func TestDefaultsKeepTheOrder(t *testing.T) {
	t.Parallel()
	for _, timeout := range []time.Duration{1, time.Second, time.Minute, time.Hour, 1000 * time.Hour} {
		r := registryOf(WithTimeout(timeout))
		c, err := Config{}.withDefaults(r)
		if err != nil {
			t.Errorf("timeout %v: %v", timeout, err)
			continue
		}
		if timeout+c.Grace >= c.Lease || c.Heartbeat > c.Lease/3 || c.idleTimeout() <= c.Lease {
			t.Errorf("timeout %v: %+v", timeout, c)
		}
	}
}

// Only the queues that a worker serves count.
func TestTimeoutsOfOtherQueuesDoNotCount(t *testing.T) {
	t.Parallel()
	r := registryOf()
	RegisterAction(r, NewAction[charge]("slow", WithTimeout(time.Hour), WithQueue("slow")), recordCharge)
	if _, err := NewWorker(lazyPool(t), r, Config{Queues: map[string]int{DefaultQueue: 1}, Lease: time.Minute}); err != nil {
		t.Error(err)
	}
	if _, err := NewWorker(lazyPool(t), r, Config{Lease: time.Minute}); err == nil {
		t.Error("a worker that serves the slow queue too takes a lease shorter than its timeout")
	}
}

// F41 and what else is wrong with a registration comes out when the worker is made, all at once.
func TestRegistrationIsChecked(t *testing.T) {
	t.Parallel()
	if _, err := NewWorker(lazyPool(t), NewRegistry(), Config{}); err == nil {
		t.Error("a worker without handlers")
	}
	for name, a := range map[string]*Action[charge]{
		"name":     NewAction[charge](""),
		"bytes":    NewAction[charge](strings.Repeat("n", maxNameBytes+1)),
		"queue":    NewAction[charge]("x", WithQueue("")),
		"timeout":  NewAction[charge]("x", WithTimeout(0)),
		"backoff":  NewAction[charge]("x", WithBackoff(-1)),
		"attempts": NewAction[charge]("x", WithMaxAttempts(0)),
		"reclaims": NewAction[charge]("x", WithMaxReclaims(-1)),
		"payload":  NewAction[charge]("x", WithMaxInput(1)),
	} {
		r := NewRegistry()
		RegisterAction(r, a, recordCharge)
		if _, err := NewWorker(lazyPool(t), r, Config{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := a.Enqueue(t.Context(), NewClient(nil), charge{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s, enqueued: %v", name, err)
		}
	}
	r := registryOf()
	RegisterAction(r, NewAction[charge]("x"), recordCharge)
	RegisterAction(r, NewAction[charge]("y", WithTimeout(-1)), recordCharge)
	if _, err := NewWorker(lazyPool(t), r, Config{}); err == nil || !strings.Contains(err.Error(), `two handlers are registered as "x"`) || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("not all faults are named: %v", err)
	}
}
