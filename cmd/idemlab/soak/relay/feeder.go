package relay

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
	"github.com/idem-go/idem/cmd/idemlab/soak/session"
	"github.com/idem-go/idem/runtime"
)

// feeder enqueues the steps that queue the commands, evenly over the soak. What was not acknowledged it enqueues again,
// with the same keys.
type feeder struct {
	client       *runtime.Client
	receiver     string
	steps        int64
	over         time.Duration
	acknowledged atomic.Int64
}

func newFeeder(pool *pgxpool.Pool, receiver string, o Options) *feeder {
	return &feeder{
		client:   runtime.NewClient(pool, runtime.WithClientLogger(slog.New(slog.DiscardHandler))),
		receiver: receiver, steps: o.steps(), over: o.Duration,
	}
}

const (
	feedEvery   = 400 * time.Millisecond
	inARow      = 25 // steps of one action: those that come together can be completed together
	feedTimeout = 3 * time.Second
	feedAtOnce  = 500
)

// feed enqueues all steps.
func (f *feeder) feed(ctx context.Context) error {
	began := time.Now()
	for {
		share := min(1, float64(time.Since(began)+feedEvery)/float64(f.over))
		due := int64(share * float64(f.steps))
		for lo := f.acknowledged.Load(); lo < due; lo = f.acknowledged.Load() {
			if err := f.enqueue(ctx, lo, min(due, lo+feedAtOnce)); err != nil {
				return err
			}
		}
		if f.acknowledged.Load() == f.steps {
			return nil
		}
		if !session.Sleep(ctx, feedEvery) {
			return context.Cause(ctx)
		}
	}
}

// enqueue adds the steps from lo up to hi, as often as it takes until that is acknowledged.
func (f *feeder) enqueue(ctx context.Context, lo, hi int64) error {
	var announced, told []commands.Input
	for n := lo; n < hi; n++ {
		in := commands.Input{N: n, Receiver: f.receiver}
		if n/inARow%2 == 0 {
			announced = append(announced, in)
		} else {
			told = append(told, in)
		}
	}
	for f.try(ctx, announced, told) != nil {
		if !session.Sleep(ctx, 50*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
	f.acknowledged.Store(hi)
	return nil
}

func (f *feeder) try(ctx context.Context, announced, told []commands.Input) error {
	ctx, cancel := context.WithTimeout(ctx, feedTimeout)
	defer cancel()
	if _, err := commands.AnnounceAction.EnqueueMany(ctx, f.client, announced, commands.Key); err != nil {
		return err
	}
	_, err := commands.TellAction.EnqueueMany(ctx, f.client, told, commands.Key)
	return err
}
