package lease

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

// Keeper has a worker's held steps. It is safe for concurrent use.
type Keeper struct {
	*step.Host
	Notifier *store.Notifier // tells other workers of what completions have enqueued
	// Queue finds this worker's own place for a queue; nil where it serves another.
	Queue  func(name string) Place
	Driver Driver

	running sync.WaitGroup // executions until they are settled
	mu      sync.Mutex
	held    map[int64]*Held
}

// Hold takes a claimed step into the worker's care: its lease is renewed until it is finished.
func (k *Keeper) Hold(s *Held) {
	s.keeper = k
	s.parties.Store(2) // the handler, and whoever settles the step
	k.running.Add(1)
	k.mu.Lock()
	if k.held == nil {
		k.held = map[int64]*Held{}
	}
	k.held[s.ID] = s
	k.mu.Unlock()
}

// Finished ends the care for a settled step.
func (k *Keeper) Finished(s *Held) {
	k.mu.Lock()
	// The step may have come back to this worker in the meantime.
	if k.held[s.ID] == s {
		delete(k.held, s.ID)
	}
	k.mu.Unlock()
	s.Leave()
	k.running.Done()
}

// All returns the steps in the worker's care.
func (k *Keeper) All() []*Held {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make([]*Held, 0, len(k.held))
	for _, s := range k.held {
		all = append(all, s)
	}
	return all
}

// Wait returns when no step is in the worker's care.
func (k *Keeper) Wait() { k.running.Wait() }

// Announce wakes this worker's queue at once, and the others' by notification.
func (k *Keeper) Announce(queue string) {
	if place := k.Queue(queue); place != nil {
		place.Announce()
	}
	if k.Notifier.Due(queue) {
		go k.Notifier.Announce(queue)
	}
}

// Reload reads a held step's input again.
func (k *Keeper) Reload(ctx context.Context, s *Held) (input []byte, err error) {
	err = k.Control.QueryRow(ctx, k.SQL.Input, s.ID, s.Epoch).Scan((*store.RawBytes)(&input))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, failure.ErrLeaseLost
	}
	return input, err
}
