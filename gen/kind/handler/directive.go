package handler

import "github.com/idem-go/idem/gen/directive"

var action = &directive.Spec{
	Name: "action", On: directive.Targets{directive.Func}, Form: "func(runtime.Context, In) error",
	Doc:    "A handler without an output. Clients enqueue it, workers run it.",
	Node:   nodeName,
	Params: limits(),
}

var step = &directive.Spec{
	Name: "step", On: directive.Targets{directive.Func}, Form: "func(runtime.Context, In) (Out, error)",
	Doc:  "A handler with an output, which is stored when the step completes.",
	Node: nodeName,
	Params: limits(directive.Param{
		Name: "max_output", Kind: directive.Size, Default: "1MiB",
		Doc: "Largest output; a larger one discards the step and rolls its writes back.",
	}),
}

var nodeName = &directive.Param{
	Name: "NAME", Kind: directive.Node,
	Doc: "Durable name of the handler: a part of every key, so it outlives renames of the Go function.",
}

// limits are the arguments that actions and steps share, with more of the directive's own behind
// max_input. The defaults are the runtime's, which the generator does not import; a test of the module compares them.
func limits(more ...directive.Param) []directive.Param {
	params := []directive.Param{
		{Name: "timeout", Kind: directive.Duration, Default: "30s", Doc: "Longest time that one attempt may take; a timeout starts a new attempt."},
		{Name: "max_attempts", Kind: directive.Count, Default: "20", Doc: "Attempts until the step is discarded."},
		{Name: "backoff", Kind: directive.Duration, Default: "1s", Doc: "Wait before the second attempt; it doubles with each further one, up to an hour."},
		{Name: "max_reclaims", Kind: directive.CountOrNone, Default: "unbounded", Doc: "How often an attempt may be taken over from a worker that died on it; the count begins anew with the next attempt."},
		{Name: "max_input", Kind: directive.Size, Default: "1MiB", Doc: "Largest input; a larger one is refused when it is enqueued."},
	}
	params = append(params, more...)
	return append(params,
		directive.Param{Name: "queue", Kind: directive.Queue, Default: "default", Doc: "Queue that the handler waits in."},
		directive.Param{Name: "fixture", Kind: directive.Function, Default: "none", Doc: "Function of the package or its tests that the generated test calls: it gives a method's receiver, then the input or nothing."},
	)
}
