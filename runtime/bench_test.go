package runtime

import (
	"context"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/pgtest"
)

// quietBench is a database that writes to the disk as in production, without anybody who records what happens.
func quietBench(b *testing.B) *bench {
	b.Helper()
	server := pgtest.Own(b, pgtest.Durable(), pgtest.TCP())
	url, err := server.NewDatabase(b.Context(), pgtest.Migrated("runtime", migrate))
	if err != nil {
		b.Fatal(err)
	}
	pool, err := pgxpool.New(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return newBenchOn(b, pool)
}

// counting counts the steps that have ended well.
type counting struct {
	left atomic.Int64
	done chan struct{}
}

// Observe implements [Observer].
func (c *counting) Observe(e Event) {
	if e.Kind == EventCompleted && c.left.Add(-1) == 0 {
		close(c.done)
	}
}

// drain lets a worker run what is enqueued, 256 at a time.
func drain(b testing.TB, base *bench, n int) {
	b.Helper()
	c := &counting{done: make(chan struct{})}
	c.left.Store(int64(n))
	w, err := NewWorker(base.pool, base.reg, Config{
		Queues: map[string]int{DefaultQueue: 256}, Logger: slog.New(slog.DiscardHandler), Observer: c,
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	<-c.done
	cancel()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}

// fill enqueues n charges.
func fill(b testing.TB, base *bench, a *Action[charge], n int) {
	b.Helper()
	const batch = 5000
	for at := 0; at < n; at += batch {
		ins := make([]charge, min(batch, n-at))
		for i := range ins {
			ins[i] = charge{User: fmt.Sprint(at + i), Amount: 1}
		}
		if _, err := a.EnqueueMany(b.Context(), base.client, ins, nil); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := base.pool.Exec(b.Context(), `ANALYZE`); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRecorded is the whole life of a step whose handler records one row: claim, handler, group commit.
func BenchmarkRecorded(b *testing.B) {
	base := quietBench(b)
	a := NewAction[charge]("recorded", WithTimeout(10*time.Second))
	RegisterAction(base.reg, a, recordCharge)
	fill(b, base, a, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	drain(b, base, b.N)
}

// BenchmarkDirect is the same step with a handler that writes through the completion transaction itself.
func BenchmarkDirect(b *testing.B) {
	base := quietBench(b)
	a := NewAction[charge]("direct", WithTimeout(10*time.Second))
	RegisterAction(base.reg, a, func(ctx Context, in charge) error {
		_, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO ledger (run_id, node, payload_digest, user_id, amount)
			VALUES ($1, $2, decode(repeat('00', 32), 'hex'), $3, $4) ON CONFLICT (run_id, node) DO NOTHING`, ctx.RunID(), ctx.Node(), in.User, in.Amount)
		return err
	})
	fill(b, base, a, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	drain(b, base, b.N)
}

// BenchmarkRetired is the removal of a step, with the pauses that a worker makes meanwhile. How long that takes beside what
// completing the step took is reported too: where it is not well under 2, a worker that is busy half of the time, which makes
// each batch slower, does not remove as much as it completes.
func BenchmarkRetired(b *testing.B) {
	base := quietBench(b)
	a := NewAction[charge]("retired", WithTimeout(10*time.Second))
	RegisterAction(base.reg, a, recordCharge)
	fill(b, base, a, b.N)
	began := time.Now()
	drain(b, base, b.N)
	completing := time.Since(began)
	r := base.retiring(Retention{Completed: time.Microsecond, ReplayWindow: time.Microsecond})
	b.ResetTimer()
	if err := r.Pass(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	if left := base.count(`SELECT count(*) FROM idem.steps`); left > 0 {
		b.Fatalf("%d steps are left", left)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(completing), "of-completing")
}

// The Go side of a step must stay cheap: what a worker, pgx included, allocates for one that records a row. The limit is
// a quarter above what it was when it was written down, which is 43.
func TestAllocationsOfAStep(t *testing.T) {
	const steps, limit = 3000, 54
	base := newBench(t)
	a := NewAction[charge]("recorded", WithTimeout(time.Minute))
	RegisterAction(base.reg, a, recordCharge)
	fill(t, base, a, steps)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	drain(t, base, steps)
	goruntime.ReadMemStats(&after)
	if n := (after.Mallocs - before.Mallocs) / steps; n > limit {
		t.Errorf("a step takes %d allocations, want at most %d; read the profile of BenchmarkRecorded", n, limit)
	}
}

// BenchmarkEnqueue adds one step at a time, from 16 clients.
func BenchmarkEnqueue(b *testing.B) {
	base := quietBench(b)
	a := NewAction[charge]("enqueued")
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := a.Enqueue(b.Context(), base.client, charge{User: "ann", Amount: 1}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
