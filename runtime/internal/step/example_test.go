package step_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

// host is whatever delivers steps. It is told of the end of each execution.
type host struct{}

func (host) Returned(ex *step.Execution, r step.Return) (again bool) {
	o := ex.Conclude(r)
	fmt.Printf("attempt %d: %s, %s %q\n", ex.Attempt(), o.State(), o.Reason, o.Output)
	return o.Kind == step.Rerun
}

func (host) Overran(*step.Execution) {}

// A step is executed without any worker. This handler writes nothing, so that it needs no database either.
func ExampleExecution_Run() {
	surroundings := &step.Host{
		Session: &store.Session{Observer: func(lifecycle.Event) {}},
		Steps:   context.Background(), Lasting: context.Background(),
	}
	greet := &step.Handler{Node: "greet", Timeout: time.Minute, Run: func(ex *step.Execution, input []byte) ([]byte, error) {
		if ex.Attempt() == 1 {
			return nil, errors.New("not yet")
		}
		return []byte("hello " + string(input)), nil
	}}
	for attempt := 1; attempt <= 2; attempt++ {
		s := &step.Step{RunID: "run_1", Node: "greet", Attempt: attempt, MaxAttempts: 3, Handler: greet, Input: []byte("ann")}
		step.New(surroundings, s).Run(host{})
	}
	// Output:
	// attempt 1: pending, error ""
	// attempt 2: completed,  "hello ann"
}
