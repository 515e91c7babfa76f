package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
)

// Registry holds the handlers that a worker runs. The zero value is not usable, see [NewRegistry].
type Registry struct {
	handlers map[string]*handler
	errs     []error
}

// handler is a definition with its implementation.
type handler struct {
	definition
	// run decodes the input, calls the author's function and encodes its output.
	run func(ex *execution, input []byte) (output []byte, err error)
	// failing is the recent share of completions that the database refused, in 1/1024: see group.go.
	failing atomic.Int64
}

// NewRegistry makes an empty registry.
func NewRegistry() *Registry { return &Registry{handlers: map[string]*handler{}} }

// RegisterAction lets workers run a with fn. Registering a name twice, or an invalid definition, is
// reported by [NewWorker].
func RegisterAction[In any](r *Registry, a *Action[In], fn func(Context, In) error) {
	r.add(a.def, func(ex *execution, input []byte) ([]byte, error) {
		in, err := decodeInput[In](a.def.name, input)
		if err != nil {
			return nil, err
		}
		return nil, fn(ex, in)
	})
}

// RegisterStep lets workers run s with fn.
func RegisterStep[In, Out any](r *Registry, s *Step[In, Out], fn func(Context, In) (Out, error)) {
	r.add(s.def, func(ex *execution, input []byte) ([]byte, error) {
		in, err := decodeInput[In](s.def.name, input)
		if err != nil {
			return nil, err
		}
		out, err := fn(ex, in)
		if err != nil {
			return nil, err
		}
		return encodePayload("output", s.def.name, &out, s.def.maxOutput)
	})
}

func (r *Registry) add(d definition, run func(*execution, []byte) ([]byte, error)) {
	if err := d.validate(); err != nil {
		r.errs = append(r.errs, err)
		return
	}
	if _, taken := r.handlers[d.name]; taken {
		r.errs = append(r.errs, fmt.Errorf("idem: two handlers are registered as %q; a node name is part of every key, give each its own", d.name))
		return
	}
	r.handlers[d.name] = &handler{definition: d, run: run}
}

// check gives what is wrong with what was registered.
func (r *Registry) check() error { return errors.Join(r.errs...) }

// names gives the node names of a queue's handlers, sorted.
func (r *Registry) names(queue string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.handlers)) {
		if r.handlers[name].queue == queue {
			names = append(names, name)
		}
	}
	return names
}

// inputError marks a stored input that does not fit the handler's type: no retry can mend it.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

func decodeInput[In any](node string, input []byte) (in In, err error) {
	if err := json.Unmarshal(input, &in); err != nil {
		return in, &inputError{fmt.Errorf("idem: the stored input of %s does not fit its type: %w", node, err)}
	}
	return in, nil
}
