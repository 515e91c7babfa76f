package fault

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/session"
)

// Landings counts the faults that have hit something. The zero value has none.
type Landings struct {
	mu sync.Mutex
	of map[Kind]int
}

// Run lets the faults happen in their time: apply carries one out, and tells whether it hit anything. It returns when all
// of them are over, or with the first one that could not be carried out.
func (l *Landings) Run(ctx context.Context, faults []Fault, apply func(context.Context, Fault) (landed bool, err error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var under sync.WaitGroup
	began := time.Now()
	for _, f := range faults {
		if !session.Sleep(ctx, time.Until(began.Add(time.Duration(f.At)*time.Millisecond))) {
			break
		}
		under.Go(func() {
			landed, err := apply(ctx, f)
			if err != nil {
				cancel(fmt.Errorf("fault %s: %w", f.Kind, err))
			} else if landed {
				l.count(f.Kind)
			}
		})
	}
	under.Wait()
	return context.Cause(ctx)
}

func (l *Landings) count(k Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[Kind]int{}
	}
	l.of[k]++
}

// Total counts the faults that have landed so far.
func (l *Landings) Total() (n int) {
	for _, landed := range l.ByKind() {
		n += landed
	}
	return n
}

// ByKind counts those of each kind.
func (l *Landings) ByKind() map[Kind]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.of)
}
