package soak

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

const (
	roundSize = 40 // steps that are enqueued in one round, follow-ups aside
	// maxBacklog is how many steps may wait to be run. A step that is taken back from a dead worker stands behind
	// them: with many, the time until its second start would say nothing about the recovery.
	maxBacklog = 100
)

// feeder enqueues all kinds of steps, all the time. What was not acknowledged it enqueues again, with the same keys.
type feeder struct {
	pool   *pgxpool.Pool
	client *runtime.Client
	rate   int // steps a second, follow-ups included; 0: as fast as the workers take them

	violate      func(example string) // takes a violation of I1
	acknowledged [fed]atomic.Int64
	repeated     atomic.Int64 // calls that had to be made again
	stored       atomic.Int64 // of these: the steps had been stored by an earlier call
}

// enqueuer is what actions and steps have in common.
type enqueuer interface {
	EnqueueMany(context.Context, *runtime.Client, []input, func(input) []runtime.EnqueueOption) ([]runtime.Run, error)
}

var enqueuers = [fed]enqueuer{
	charge: chargeAction, order: orderAction, invoice: invoiceStep, flaky: flakyAction, slow: slowAction,
	oversize: oversizeStep, refused: refusedAction,
}

// feed enqueues until stop is closed; what it has begun by then it brings to its end.
func (f *feeder) feed(ctx context.Context, stop <-chan struct{}) error {
	due := time.Now()
	for round := int64(0); ; round++ {
		if !f.wait(ctx, stop, due) {
			return context.Cause(ctx)
		}
		enqueued := f.steps()
		for k := range kind(fed) {
			if err := f.enqueue(ctx, k, upTo(k, round), upTo(k, round+1)); err != nil {
				return err
			}
		}
		due = f.next(due, f.steps()-enqueued)
	}
}

// upTo returns how many steps of a kind are enqueued before a round.
func upTo(k kind, round int64) int64 { return round * roundSize * int64(shares[k]) / 1000 }

// wait returns when the next round is due; false means that there is to be none.
func (f *feeder) wait(ctx context.Context, stop <-chan struct{}, due time.Time) bool {
	for {
		if !time.Now().Before(due) && f.backlog(ctx) < maxBacklog {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-stop:
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// next says when the round after one of so many steps is due. What an outage held up is not made up for: the queue
// would be long after it.
func (f *feeder) next(due time.Time, steps int64) time.Time {
	if f.rate == 0 {
		return due
	}
	if late := time.Now().Add(-200 * time.Millisecond); due.Before(late) {
		due = late
	}
	return due.Add(time.Duration(steps) * time.Second / time.Duration(f.rate))
}

// steps counts what was enqueued so far, with the follow-ups that it brings.
func (f *feeder) steps() (n int64) {
	for k := range f.acknowledged {
		n += f.acknowledged[k].Load()
	}
	return n + f.acknowledged[order].Load()
}

// backlog counts the steps that wait. When the database does not say, enqueueing is tried.
func (f *feeder) backlog(ctx context.Context) (n int) {
	ctx, cancel := context.WithTimeout(ctx, feedTimeout)
	defer cancel()
	_ = f.pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT FROM idem.steps WHERE state = 'pending' LIMIT $1) s`, maxBacklog).Scan(&n)
	return n
}

const feedTimeout = 3 * time.Second

// enqueue adds the steps of a kind from lo up to hi, as often as it takes until that is acknowledged.
func (f *feeder) enqueue(ctx context.Context, k kind, lo, hi int64) error {
	if lo == hi {
		return nil
	}
	ins := make([]input, 0, hi-lo)
	for n := lo; n < hi; n++ {
		ins = append(ins, input{n})
	}
	for try := 0; ; try++ {
		runs, err := f.try(ctx, k, ins)
		if err == nil {
			f.acknowledged[k].Store(hi)
			f.judge(k, lo, runs, try)
			return nil
		}
		f.repeated.Add(1)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (f *feeder) try(ctx context.Context, k kind, ins []input) ([]runtime.Run, error) {
	ctx, cancel := context.WithTimeout(ctx, feedTimeout)
	defer cancel()
	return enqueuers[k].EnqueueMany(ctx, f.client, ins, key)
}

// judge looks at what is new of an acknowledged call: all of it or nothing, and nothing is known already at the first.
func (f *feeder) judge(k kind, lo int64, runs []runtime.Run, tries int) {
	known := 0
	for _, r := range runs {
		if r.Duplicate {
			known++
		}
	}
	switch {
	case known == 0:
	case tries == 0 || known < len(runs):
		f.violate(fmt.Sprintf("of %d steps from %v on, enqueued with %d tries before, %d are said to be known already",
			len(runs), step{k, lo}, tries, known))
	default:
		f.stored.Add(1)
	}
}

func (f *feeder) facts() *facts {
	var all facts
	for k := range all.acknowledged {
		all.acknowledged[k] = f.acknowledged[k].Load()
	}
	return &all
}
