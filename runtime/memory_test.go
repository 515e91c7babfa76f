package runtime

import (
	"log/slog"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A worker with 10,000 steps of 1 KiB, whose handlers have recorded a row and wait for something, takes less than 100 MiB. Most
// of it is their stacks, and what decides there is what lies on them of the runtime's own: Go doubles a stack at 4 KiB.
func TestMemoryOfAHeldStep(t *testing.T) {
	if testing.Short() {
		t.Skip("frames are larger where the race detector watches")
	}
	const steps, limit = 3000, 100 << 20 / 10_000
	base := newBench(t)
	a := NewAction[charge]("held", WithTimeout(time.Minute))
	var started atomic.Int64
	all, goOn := make(chan struct{}), make(chan struct{})
	RegisterAction(base.reg, a, func(ctx Context, in charge) error {
		err := recordCharge(ctx, in)
		if started.Add(1) == steps {
			close(all)
		}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return err
	})
	ins := make([]charge, steps)
	for i := range ins {
		ins[i] = charge{User: strings.Repeat("x", 1<<10), Amount: 1}
	}
	if _, err := a.EnqueueMany(t.Context(), base.client, ins, nil); err != nil {
		t.Fatal(err)
	}
	before := inUse()
	stop := base.work(Config{Queues: map[string]int{DefaultQueue: steps}, Logger: slog.New(slog.DiscardHandler)})
	<-all
	if each := (inUse() - before) / steps; each > limit {
		t.Errorf("a held step takes %d bytes, want at most %d; look at the frames below its handler", each, limit)
	}
	close(goOn)
	stop()
}

// inUse returns what Go needs of the memory.
func inUse() int64 {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
