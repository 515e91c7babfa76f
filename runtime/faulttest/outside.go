package faulttest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/idem-go/idem/runtime/internal/double"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// outside stands for the systems that a handler reaches: what it asks them for goes to a ledger, which outlives the
// processes that are killed.
type outside struct {
	ledger   ledger.Client
	receipts map[string]any // by provider, where the author gives them
	stop     stop

	mu       sync.Mutex
	calls    []double.Call // in the order in which they were sent first
	outboxes []*outbox.Table
}

var _ double.Outside = (*outside)(nil)

// stop is where a process that is about to be killed comes to rest.
type stop struct {
	Key      string // of a call; "" for nowhere
	Answered bool   // after the answer has come, not before the request leaves
	reached  func()
}

func (s *stop) at(key string, answered bool) {
	if s.Key != "" && s.Key == key && s.Answered == answered {
		s.reached()
	}
}

// Send implements [double.Outside].
func (o *outside) Send(ctx context.Context, c double.Call) (receipt any, err error) {
	o.note(c)
	o.stop.at(c.Key, false)
	booked, err := o.ledger.Send(ctx, c.Key, c.Request)
	o.stop.at(c.Key, true)
	if err != nil || c.Undo {
		return nil, err
	}
	return o.receipt(c, booked)
}

// Find implements [double.Outside].
func (o *outside) Find(ctx context.Context, c double.Call) (receipt any, found bool, err error) {
	booked, found, err := o.ledger.Find(ctx, c.Key)
	if err != nil || !found {
		return nil, false, err
	}
	receipt, err = o.receipt(c, booked)
	return receipt, true, err
}

// Queued implements [double.Outside].
func (o *outside) Queued(table any) {
	t := table.(*outbox.Table)
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.ContainsFunc(o.outboxes, func(other *outbox.Table) bool { return other.Effect.Table == t.Effect.Table }) {
		o.outboxes = append(o.outboxes, t)
	}
}

func (o *outside) note(c double.Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.ContainsFunc(o.calls, func(other double.Call) bool { return other.Key == c.Key }) {
		o.calls = append(o.calls, c)
	}
}

// seen returns the calls that were made, and the outboxes that were used.
func (o *outside) seen() ([]double.Call, []*outbox.Table) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls), slices.Clone(o.outboxes)
}

// receipt returns the author's receipt for an effect, or makes one up.
func (o *outside) receipt(c double.Call, booked ledger.Receipt) (any, error) {
	given, ok := o.receipts[c.Provider]
	if !ok {
		return madeUp(c.Receipt, booked), nil
	}
	if t := reflect.TypeOf(given); t != c.Receipt {
		return nil, provider.Rejected(fmt.Errorf("faulttest: the receipt that the test gives for %s is a %v, and must be a %v", c.Provider, t, c.Receipt))
	}
	return given, nil
}

// stored is the receipt of a call's effect as an operator would give it.
func (o *outside) stored(c double.Call) (json.RawMessage, error) {
	if c.Undo {
		return json.RawMessage("null"), nil
	}
	receipt, err := o.receipt(c, ledger.Receipt{Key: c.Key})
	if err != nil {
		return nil, err
	}
	return json.Marshal(receipt)
}

// describe names a call for people.
func describeCall(c double.Call) string {
	name := c.Provider
	if c.Item != "" {
		name = fmt.Sprintf("%s (%s)", name, c.Item)
	}
	if c.Undo {
		name = "the undo of " + name
	}
	return name
}
