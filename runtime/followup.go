package runtime

import (
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/value"
)

// EnqueueActionCompletion enqueues a run of the action in the transaction that completes the calling
// step: the run exists once, and only if the step completes. A crash, a failed completion and a lost
// lease roll it back with everything else. Its identity follows from the calling step, or from
// [WithKey], and is the same at every execution.
//
// It starts a run of its own, which lives and is cancelled by itself; [EnqueueCompletion] adds a node to the caller's run.
func EnqueueActionCompletion[In any](ctx Context, a *Action[In], in In, opts ...EnqueueOption) (Run, error) {
	ex, err := step.Of(ctx)
	if err != nil {
		return Run{}, err
	}
	e, err := newEnqueued(&a.def, &in, opts)
	if err != nil {
		return Run{}, ex.Missing(err)
	}
	if e.keyed {
		e.identify()
	} else {
		e.runID = value.ChildRunID(ex.RunID(), ex.Node(), a.def.name, ex.NextChild(a.def.name))
	}
	return Run{ID: e.runID, Node: a.def.name}, followUp(ex, e)
}

// EnqueueCompletion enqueues a step as a further node of the calling step's run, in the transaction that
// completes the calling step. A run has a node once: enqueueing it again with the same input changes
// nothing, with another input the completion fails with a [MismatchError].
//
// The step belongs to the caller's run: it is found by the same id, and [Client.Cancel] of the run ends it too.
// [EnqueueActionCompletion] starts another run.
func EnqueueCompletion[In, Out any](ctx Context, s *Step[In, Out], in In, opts ...EnqueueOption) (Run, error) {
	ex, err := step.Of(ctx)
	if err != nil {
		return Run{}, err
	}
	e, err := newEnqueued(&s.def, &in, opts)
	if err != nil {
		return Run{}, ex.Missing(err)
	}
	if e.keyed {
		e.identify()
	} else {
		e.runID = ex.RunID()
	}
	return Run{ID: e.runID, Node: s.def.name}, followUp(ex, e)
}

func followUp(ex *step.Execution, e *enqueued) error {
	return ex.Follow(step.Write{SQL: ex.Host.SQL.Insert, Args: e.args(), Node: e.def.name, Wakes: e.def.queue})
}
