package await

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Tally counts what is done, and tells when that is all.
type Tally struct {
	want int64
	done atomic.Int64
	all  chan struct{}
}

// NewTally expects want of something, one at least.
func NewTally(want int) *Tally { return &Tally{want: int64(want), all: make(chan struct{})} }

// Add counts one more.
func (t *Tally) Add() {
	if t.done.Add(1) == t.want {
		close(t.all)
	}
}

// Wait waits for all, or gives the reason why that will not be.
func (t *Tally) Wait(ctx context.Context) error {
	select {
	case <-t.all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d of %d were done: %w", t.done.Load(), t.want, context.Cause(ctx))
	}
}
