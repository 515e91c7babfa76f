package runtime

import (
	"fmt"
	"time"
)

// The limits of a handler that sets none of its own.
const (
	DefaultTimeout     = 30 * time.Second
	DefaultMaxAttempts = 20
	DefaultBackoff     = time.Second
	DefaultMaxPayload  = 1 << 20 // bytes, for an input and for an output
	DefaultQueue       = "default"
)

// Action defines a handler without an output: its name, the type of its input, its limits. Clients
// enqueue with it; workers run it once an implementation is registered ([RegisterAction]).
type Action[In any] struct{ def definition }

// Step defines a handler with an output.
type Step[In, Out any] struct{ def definition }

// NewAction defines the action called name. Generated code calls it; by hand it serves for handlers
// that are not annotated.
func NewAction[In any](name string, opts ...Option) *Action[In] {
	return &Action[In]{newDefinition(name, opts)}
}

// NewStep defines the step called name.
func NewStep[In, Out any](name string, opts ...Option) *Step[In, Out] {
	return &Step[In, Out]{newDefinition(name, opts)}
}

// Name is the node name of the action's runs.
func (a *Action[In]) Name() string { return a.def.name }

// Name is the step's node name.
func (s *Step[In, Out]) Name() string { return s.def.name }

// definition is what actions and steps have in common.
type definition struct {
	name        string
	queue       string
	timeout     time.Duration
	backoff     time.Duration
	maxAttempts int
	maxReclaims *int // nil: unbounded
	maxInput    int64
	maxOutput   int64
}

func newDefinition(name string, opts []Option) definition {
	d := definition{
		name: name, queue: DefaultQueue,
		timeout: DefaultTimeout, backoff: DefaultBackoff, maxAttempts: DefaultMaxAttempts,
		maxInput: DefaultMaxPayload, maxOutput: DefaultMaxPayload,
	}
	for _, o := range opts {
		o(&d)
	}
	return d
}

// validate says what is wrong with the definition; a worker and a client refuse it then.
func (d *definition) validate() error {
	switch {
	case d.name == "":
		return fmt.Errorf("idem: a handler without a name; give it one")
	case len(d.name) > maxNameBytes || len(d.queue) > maxNameBytes:
		return fmt.Errorf("idem: handler %q: its name and its queue may have %d bytes", d.name, maxNameBytes)
	case d.queue == "":
		return fmt.Errorf("idem: handler %q: empty queue name", d.name)
	case d.timeout <= 0:
		return fmt.Errorf("idem: handler %q: timeout %v; it must be positive", d.name, d.timeout)
	case d.backoff < 0:
		return fmt.Errorf("idem: handler %q: backoff %v; it must not be negative", d.name, d.backoff)
	case d.maxAttempts < 1:
		return fmt.Errorf("idem: handler %q: max attempts %d; it must be at least 1", d.name, d.maxAttempts)
	case d.maxReclaims != nil && *d.maxReclaims < 0:
		return fmt.Errorf("idem: handler %q: max reclaims %d; it must not be negative", d.name, *d.maxReclaims)
	case d.maxInput < 2 || d.maxOutput < 2:
		return fmt.Errorf("idem: handler %q: payload limits must be at least 2 bytes", d.name)
	}
	return nil
}

const maxNameBytes = 255

// Option sets a limit of a handler.
type Option func(*definition)

// WithTimeout bounds one attempt. When it fires, the attempt fails and can no longer write.
func WithTimeout(d time.Duration) Option { return func(x *definition) { x.timeout = d } }

// WithMaxAttempts bounds how often the handler may fail or time out before the step is discarded as
// [ReasonAttemptsExhausted]. Reclaims after a worker's death do not count.
func WithMaxAttempts(n int) Option { return func(x *definition) { x.maxAttempts = n } }

// WithBackoff is the delay before the second attempt; it doubles with each further one, up to an
// hour, with jitter.
func WithBackoff(d time.Duration) Option { return func(x *definition) { x.backoff = d } }

// WithMaxReclaims bounds how often an attempt of a step may be taken over from a worker that died on it, before the step
// is discarded as [ReasonReclaimLimit]. It is for a step that takes its worker with it at every run: the count begins anew
// with each attempt, since a run that came back did not. Without it there is no bound.
func WithMaxReclaims(n int) Option { return func(x *definition) { x.maxReclaims = &n } }

// WithMaxInput bounds the encoded input, in bytes. A larger one is refused when it is enqueued.
func WithMaxInput(n int64) Option { return func(x *definition) { x.maxInput = n } }

// WithMaxOutput bounds the encoded output, in bytes. A larger one discards the step, with its writes
// rolled back, as [ReasonOutputTooLarge].
func WithMaxOutput(n int64) Option { return func(x *definition) { x.maxOutput = n } }

// WithQueue puts the handler's steps into a queue of their own, with its own concurrency.
func WithQueue(name string) Option { return func(x *definition) { x.queue = name } }
