package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// Provider is a function that calls another system with a stable key. Make one with [Define].
type Provider[Req, Receipt any] struct {
	def  definition
	call func(ctx context.Context, key string, req Req) (Receipt, error)
}

// Define makes a provider of a function. Generated code calls it. The name is part of every key. What is wrong with a
// definition panics: one of a function stands in a package-level variable, so that it does when the program starts. One
// of a method is made of the receiver at each call, which takes about a microsecond.
func Define[Req, Receipt any](name string, call func(ctx context.Context, key string, req Req) (Receipt, error), opts ...Option) *Provider[Req, Receipt] {
	p := &Provider[Req, Receipt]{definition{name: name, settle: DefaultSettle, pause: DefaultPause, receipt: reflect.TypeFor[Receipt]()}, call}
	for _, o := range opts {
		o(&p.def)
	}
	if p.def.margin == 0 {
		p.def.margin = min(p.def.window/10, time.Hour)
	}
	if err := p.def.validate(); err != nil {
		panic(err)
	}
	return p
}

// Name is the provider's name.
func (p *Provider[Req, Receipt]) Name() string { return p.def.name }

// The times of a provider that sets none of its own.
const (
	DefaultSettle = time.Minute
	DefaultPause  = time.Second
)

// maxPause bounds the pauses between two looks at an unknown outcome.
const maxPause = 10 * time.Minute

// maxPayload bounds a request and a receipt, in bytes.
const maxPayload = 1 << 20

// definition is what does not depend on the provider's types.
type definition struct {
	name    string
	window  time.Duration // 0: the provider does not honour keys
	margin  time.Duration
	settle  time.Duration
	pause   time.Duration
	lookup  func(ctx context.Context, key string) (receipt any, found bool, err error)
	undo    func(ctx context.Context, key string, receipt []byte) error
	receipt reflect.Type
	foreign []reflect.Type // the receipts of lookup and undo
}

// Option says what is known about a provider.
type Option func(*definition)

// WithWindow is how long the provider honours a key: a second request under it within this time has no second effect.
// Without it, nothing is ever sent again unless the lookup proves that nothing was done.
func WithWindow(d time.Duration) Option { return func(x *definition) { x.window = d } }

// WithMargin is how long before the end of the window sending again stops, on top of what a call may take. It is a
// tenth of the window, at most an hour, without.
func WithMargin(d time.Duration) Option { return func(x *definition) { x.margin = d } }

// WithSettle is how long a request may be under way that the lookup does not show yet: outside the window, an absence
// proves something only after that. It is [DefaultSettle] without.
func WithSettle(d time.Duration) Option { return func(x *definition) { x.settle = d } }

// WithPause is how long a step waits before it looks at an unknown outcome the first time. It doubles with each further
// time, up to ten minutes. It is [DefaultPause] without.
func WithPause(d time.Duration) Option { return func(x *definition) { x.pause = d } }

// WithLookup returns the function that finds a call by its key. found=false means that the provider has not done, and is
// not about to do, what was asked under the key.
func WithLookup[Receipt any](lookup func(ctx context.Context, key string) (receipt Receipt, found bool, err error)) Option {
	return func(x *definition) {
		x.foreign = append(x.foreign, reflect.TypeFor[Receipt]())
		x.lookup = func(ctx context.Context, key string) (any, bool, error) { return lookup(ctx, key) }
	}
}

// WithUndo returns the function that takes a call back. key is the compensation's own, receipt the one of the call.
func WithUndo[Receipt any](undo func(ctx context.Context, key string, receipt Receipt) error) Option {
	return func(x *definition) {
		x.foreign = append(x.foreign, reflect.TypeFor[Receipt]())
		x.undo = func(ctx context.Context, key string, stored []byte) error {
			var receipt Receipt
			if err := json.Unmarshal(stored, &receipt); err != nil {
				return NotSent(receiptError(err))
			}
			return undo(ctx, key, receipt)
		}
	}
}

const maxNameBytes = 255

func (d *definition) validate() error {
	problem := ""
	switch {
	case d.name == "" || len(d.name) > maxNameBytes:
		return fmt.Errorf("idem: provider %q: a name has 1 to %d bytes", d.name, maxNameBytes)
	case d.window < 0 || d.margin < 0 || d.settle < 0 || d.pause <= 0:
		problem = "its times must not be negative, and its pause must be positive"
	case d.window > 0 && d.margin >= d.window:
		problem = fmt.Sprintf("the margin %v must be shorter than the window %v", d.margin, d.window)
	}
	for _, t := range d.foreign {
		if t != d.receipt {
			problem = fmt.Sprintf("its lookup and its undo must have the receipt %v, not %v", d.receipt, t)
		}
	}
	if problem == "" {
		return nil
	}
	return errors.New("idem: provider " + d.name + ": " + problem)
}
