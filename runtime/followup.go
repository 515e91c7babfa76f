package runtime

// EnqueueActionCompletion enqueues a run of the action in the transaction that completes the calling
// step: the run exists once, and only if the step completes. A crash, a failed completion and a lost
// lease roll it back with everything else. Its identity follows from the calling step, or from
// [WithKey], and is the same at every execution.
func EnqueueActionCompletion[In any](ctx Context, a *Action[In], in In, opts ...EnqueueOption) (Run, error) {
	ex, err := executionOf(ctx)
	if err != nil {
		return Run{}, err
	}
	e, err := newEnqueued(&a.def, &in, opts)
	if err != nil {
		return Run{}, err
	}
	if e.keyed {
		e.identify()
	} else {
		e.runID = childRunID(ex.step.runID, ex.step.node, a.def.name, ex.nextChild(a.def.name))
	}
	return Run{ID: e.runID, Node: a.def.name}, ex.followUp(e)
}

// EnqueueCompletion enqueues a step as a further node of the calling step's run, in the transaction that
// completes the calling step. A run has a node once: enqueueing it again with the same input changes
// nothing, with another input the completion fails with a [MismatchError].
func EnqueueCompletion[In, Out any](ctx Context, s *Step[In, Out], in In, opts ...EnqueueOption) (Run, error) {
	ex, err := executionOf(ctx)
	if err != nil {
		return Run{}, err
	}
	e, err := newEnqueued(&s.def, &in, opts)
	if err != nil {
		return Run{}, err
	}
	if e.keyed {
		e.identify()
	} else {
		e.runID = ex.step.runID
	}
	return Run{ID: e.runID, Node: s.def.name}, ex.followUp(e)
}

func (ex *execution) followUp(e *enqueued) error {
	return ex.follow(pendingWrite{sql: ex.w.sql.insert, args: e.args(), node: e.def.name, wakes: e.def.queue})
}
