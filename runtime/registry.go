package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	_ "github.com/idem-go/idem/runtime/idemimpl" // so that a module that vendors this package has what generated code needs
	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/value"
)

// Registry holds the handlers that a worker runs. The zero value is not usable, see [NewRegistry].
type Registry struct {
	handlers map[string]*step.Handler
	errs     []error
}

// NewRegistry makes an empty registry.
func NewRegistry() *Registry { return &Registry{handlers: map[string]*step.Handler{}} }

// RegisterAction lets workers run a with fn. Registering a name twice, or an invalid definition, is
// reported by [NewWorker].
func RegisterAction[In any](r *Registry, a *Action[In], fn func(Context, In) error) {
	r.add(a.def, func(ex *step.Execution, input []byte) ([]byte, error) {
		in, err := decodeInput[In](a.def.name, input)
		if err != nil {
			return nil, err
		}
		return nil, fn(handlerContext{ex}, in)
	})
}

// RegisterStep lets workers run s with fn.
func RegisterStep[In, Out any](r *Registry, s *Step[In, Out], fn func(Context, In) (Out, error)) {
	r.add(s.def, func(ex *step.Execution, input []byte) ([]byte, error) {
		in, err := decodeInput[In](s.def.name, input)
		if err != nil {
			return nil, err
		}
		out, err := fn(handlerContext{ex}, in)
		if err != nil {
			return nil, err
		}
		return value.EncodePayload("output", s.def.name, &out, s.def.maxOutput)
	})
}

func (r *Registry) add(d definition, run func(*step.Execution, []byte) ([]byte, error)) {
	if err := d.validate(); err != nil {
		r.errs = append(r.errs, err)
		return
	}
	if _, taken := r.handlers[d.name]; taken {
		r.errs = append(r.errs, fmt.Errorf("idem: two handlers are registered as %q; a node name is part of every key, give each its own", d.name))
		return
	}
	r.handlers[d.name] = &step.Handler{Node: d.name, Queue: d.queue, Timeout: d.timeout, Backoff: d.backoff, Run: run}
}

// check returns what is wrong with what was registered.
func (r *Registry) check() error { return errors.Join(r.errs...) }

// names returns the node names of a queue's handlers, sorted.
func (r *Registry) names(queue string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.handlers)) {
		if r.handlers[name].Queue == queue {
			names = append(names, name)
		}
	}
	return names
}

func decodeInput[In any](node string, input []byte) (in In, err error) {
	if err := json.Unmarshal(input, &in); err != nil {
		return in, &failure.Input{Err: fmt.Errorf("idem: the stored input of %s does not fit its type: %w", node, err)}
	}
	return in, nil
}
