package provider

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	mrand "math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/internal/value"
)

// CallOption says which call of a step is meant.
type CallOption func(*callOptions)

type callOptions struct {
	item           string
	runID, node    string
	nextGeneration bool
}

// Item tells several calls of one step apart. It must be the same at every execution.
func Item(name string) CallOption { return func(o *callOptions) { o.item = name } }

// NextGeneration makes a new try, with a key of its own, when the last one was definitely rejected; otherwise it goes on
// with the last one. It is for providers that answer a key with the stored error for ever. Without it a call is the
// first generation, whose rejection is final.
func NextGeneration() CallOption { return func(o *callOptions) { o.nextGeneration = true } }

// Of names the step that made the call which [Provider.Undo] takes back, where it is another one.
func Of(runID, node string) CallOption {
	return func(o *callOptions) { o.runID, o.node = runID, node }
}

func optionsOf(ctx runtime.Context, opts []CallOption) callOptions {
	o := callOptions{runID: ctx.RunID(), node: ctx.Node()}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

const maxItemBytes = 255

func checkItem(item string) error {
	if len(item) > maxItemBytes || !utf8.ValidString(item) || strings.ContainsRune(item, 0) {
		return runtime.Permanent(fmt.Errorf("idem: an item has at most %d bytes of UTF-8; use an identifier of what the call is about", maxItemBytes))
	}
	return nil
}

// Call makes the call, once, and returns its receipt: at every execution of the step the same one, which has been stored.
// The same call with another request is a [runtime.MismatchError], and discards the step. Without a receipt the error
// matches [ErrUnknown], [ErrRejected], or what the provider function returned with [NotSent].
//
// Call providers before the first statement in the completion transaction where you can: a transaction that is open
// already stays so, with its locks, for as long as the provider takes. Recorded effects do not open it.
func (p *Provider[Req, Receipt]) Call(ctx runtime.Context, req Req, opts ...CallOption) (receipt Receipt, err error) {
	c, err := p.def.newCall(ctx, req)
	if err != nil {
		return receipt, err
	}
	o := optionsOf(ctx, opts)
	if err := checkItem(o.item); err != nil {
		return receipt, err
	}
	c.intent.RunID, c.intent.Node, c.intent.Item = ctx.RunID(), ctx.Node(), o.item
	if o.nextGeneration {
		if err := c.follow(sqlLatest, c.intent.RunID, c.intent.Node, p.def.name, o.item); err != nil {
			return receipt, err
		}
	}
	c.intent.Key = c.DerivedID("call_", "idem intent", p.def.name, o.item, strconv.Itoa(c.intent.Generation))
	c.intent.Undoable = p.def.undo != nil
	c.lookup = p.def.lookup
	c.send = func(ctx context.Context, key string) (any, error) { return p.call(ctx, key, req) }
	c.standIn(ctx)
	stored, err := c.run(ctx)
	if err != nil {
		return receipt, err
	}
	if len(stored) == 0 {
		return receipt, receiptError(errors.New("it was not stored"))
	}
	if err := json.Unmarshal(stored, &receipt); err != nil {
		return receipt, receiptError(err)
	}
	return receipt, nil
}

// call is one execution's part in the life of one intent.
type call struct {
	intents
	def    *definition
	intent Intent // as it is made when it is not there yet
	send   func(ctx context.Context, key string) (receipt any, err error)
	lookup func(ctx context.Context, key string) (receipt any, found bool, err error)
}

func (d *definition) newCall(ctx context.Context, request any) (*call, error) {
	ex, err := step.Of(ctx)
	if err != nil {
		return nil, err
	}
	data, err := value.EncodeJSON(request, maxPayload)
	if err != nil {
		return nil, runtime.Permanent(fmt.Errorf("idem: the request of %s: %w", d.name, err))
	}
	digest := sha256.Sum256(data)
	return &call{intents: intents{ex}, def: d, intent: Intent{
		Provider: d.name, Generation: 1, State: StatePrepared, Epoch: 1, Dispatches: 1,
		Request: data, Digest: digest[:], owner: rand.Text(), Actor: ex.Host.Name, Reason: "the call is about to be sent",
	}}, nil
}

// follow sets the generation: the one after the last one if that was rejected, else the last one.
func (c *call) follow(sql string, args ...any) error {
	last, err := c.load(sql, args...)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	c.intent.Generation = last.Generation
	if last.State == StateRejected {
		c.intent.Generation++
	}
	return nil
}

// run returns the stored receipt, after having made the call or found out about it where that is needed.
func (c *call) run(ctx context.Context) (receipt []byte, err error) {
	since := time.Now()
	in, mine, err := c.prepare(c.intent, c.def.window)
	if err != nil {
		return nil, err
	}
	if mine {
		return c.dispatch(ctx, in, since)
	}
	if !bytes.Equal(in.Digest, c.intent.Digest) {
		return nil, c.mismatch(in, "another request stands under the key already")
	}
	switch in.State {
	case StatePrepared:
		return c.takeOver(ctx, in)
	case StateUnknown:
		return c.resolve(ctx, in)
	}
	return c.known(in)
}

// known returns what is known for good.
func (c *call) known(in Intent) ([]byte, error) {
	switch in.State {
	case StateRejected:
		return nil, &RejectedError{Provider: in.Provider, Key: in.Key, Reason: in.Reason}
	case StateCompensated:
		return nil, runtime.Permanent(fmt.Errorf("%w: %s, key %s", ErrCompensated, in.Provider, in.Key))
	}
	return in.Receipt, nil
}

// takeOver goes on with an intent whose execution has ended before it knew.
func (c *call) takeOver(ctx context.Context, in Intent) ([]byte, error) {
	if in.DispatchedAt == nil {
		return c.again(ctx, in, true, "nothing has left yet")
	}
	in, changed, err := c.doubt(in, c.Aside, "an earlier execution ended before the answer was stored", false, 0)
	switch {
	case err != nil:
		return nil, err
	case !changed:
		return nil, c.wait(in, "another execution is at it")
	}
	return c.resolve(ctx, in)
}

// reasonOperator is why an intent stays unknown for good.
const reasonOperator = "the provider may have forgotten the key, and there is no lookup: nothing is sent again by itself"

// resolve finds out about an unknown outcome, or sends again where that is safe.
func (c *call) resolve(ctx context.Context, in Intent) ([]byte, error) {
	switch {
	case in.Quarantined:
		return nil, c.mismatch(in, "the provider knows the key with another payload")
	case in.embargo > 0:
		return nil, c.waitFor(in, in.embargo, in.Reason)
	}
	if in.DispatchedAt == nil {
		return c.again(ctx, in, true, "nothing has left yet")
	}
	// Judged before the lookup, which takes time of its own.
	open, absent := in.windowLeft > c.def.margin+timeLeft(ctx), false
	if c.lookup != nil {
		receipt, found, err := c.look(ctx, in)
		if err != nil || found {
			return receipt, err
		}
		absent = true
	}
	switch left := c.def.settle - in.quiet; {
	case open:
		return c.again(ctx, in, false, "the provider still knows the key")
	case absent && left <= 0:
		return c.again(ctx, in, true, "proven absent")
	case absent:
		return nil, c.waitFor(in, left, "not found; it may still be under way")
	}
	return nil, c.stay(in)
}

// look asks the provider for the call.
func (c *call) look(ctx context.Context, in Intent) (stored []byte, found bool, err error) {
	callCtx, cancel := sparing(ctx)
	defer cancel()
	receipt, found, err := c.lookup(callCtx, in.Key)
	if err != nil {
		o := outcomeOf(err)
		if o.outcome == rejected {
			return nil, false, c.reject(in, reason(err))
		}
		return nil, false, c.unclear(in, c.AsideLasting, "the lookup failed: "+reason(err), o.delay)
	}
	if found {
		stored, err = c.accept(in, receipt, "found by its key")
	}
	return stored, found, err
}

// stay leaves an unknown outcome to an operator. It is said once in the history, and in the log every time.
func (c *call) stay(in Intent) error {
	if in.Reason != reasonOperator {
		now, changed, err := c.doubt(in, c.Aside, reasonOperator, false, 0)
		if err != nil {
			return err
		}
		if !changed {
			return c.wait(now, "another execution is at it")
		}
	}
	c.Logger().Error("idem: the outcome of a provider call is not known, and an operator must decide", "provider", in.Provider, "key", in.Key)
	return &UnknownError{Provider: in.Provider, Key: in.Key, Reason: reasonOperator, Operator: true, Delay: maxPause}
}

// again sends the call again, under the same key. fresh: nothing is in doubt, so that the window begins anew.
func (c *call) again(ctx context.Context, in Intent, fresh bool, why string) ([]byte, error) {
	since := time.Now()
	now, changed, err := c.change(in, c.Aside, sqlAgain, c.Host.Name, "sent again: "+why, c.intent.owner, fresh, c.def.window.Microseconds())
	switch {
	case err != nil:
		return nil, err
	case !changed && now.owner != c.intent.owner:
		return nil, c.wait(now, "another execution is at it")
	}
	return c.dispatch(ctx, now, since)
}

// dispatch makes the call, which the intent says since that time is about to be sent, and stores what it came to.
func (c *call) dispatch(ctx context.Context, in Intent, since time.Time) ([]byte, error) {
	probe.At(probe.IntentAfterPrepare, in.RunID, in.Node)
	if err := c.Alive(); err != nil {
		_, _ = c.unsent(in, err)
		return nil, err
	}
	if err := c.overtaken(in, since); err != nil {
		return nil, err
	}
	receipt, err := c.sendOnce(ctx, in)
	probe.At(probe.IntentAfterAnswer, in.RunID, in.Node)
	if err == nil {
		return c.accept(in, receipt, "the provider answered")
	}
	switch o := outcomeOf(err); o.outcome {
	case rejected:
		return nil, c.reject(in, reason(err))
	case conflict:
		if _, _, err := c.doubt(in, c.AsideLasting, "the provider knows the key with another payload: "+reason(err), true, 0); err != nil {
			return nil, err
		}
		return nil, c.mismatch(in, "the provider knows the key with another payload")
	case notSent:
		return c.unsent(in, err)
	default:
		return nil, c.unclear(in, c.AsideLasting, reason(err), o.delay)
	}
}

// overtakenAfter is how long an execution may take from its intent to its sending before it looks again: one that was
// stopped in between, with its whole process, may have been overtaken, and must not send late what others have sent.
const overtakenAfter = time.Second

func (c *call) overtaken(in Intent, since time.Time) error {
	if time.Since(since) < overtakenAfter {
		return nil
	}
	now, err := c.load(sqlLoad, in.Key)
	if err == nil && now.Epoch != in.Epoch {
		err = c.wait(now, "another execution is at it")
	}
	return err
}

// sendOnce calls the author's function. One that panics, or ends its goroutine, leaves the outcome unknown.
func (c *call) sendOnce(ctx context.Context, in Intent) (receipt any, err error) {
	returned := false
	defer func() {
		if !returned {
			_ = c.unclear(in, c.AsideLasting, "the provider function panicked", 0)
		}
	}()
	callCtx, cancel := sparing(ctx)
	defer cancel()
	receipt, err = c.send(callCtx, in.Key)
	returned = true
	return receipt, err
}

// accept stores that the call was done. The answer of an execution that was overtaken counts too, as long as nothing else
// is known: it is a fact.
func (c *call) accept(in Intent, receipt any, why string) ([]byte, error) {
	data, unfit := value.EncodeJSON(receipt, maxPayload)
	var stored *string
	if unfit == nil {
		text := string(data)
		stored = &text
	} else {
		why += "; its receipt cannot be stored: " + reason(unfit)
	}
	for range 5 {
		to := StateConfirmed
		if in.State == StateUnknown {
			to = StateReconciled
		}
		now, changed, err := c.change(in, c.AsideLasting, sqlSettle, string(to), stored, c.Host.Name, why)
		switch {
		case err != nil:
			return nil, err
		case changed && unfit != nil:
			return nil, receiptError(unfit)
		case changed || now.State.done():
			return now.Receipt, nil
		case now.State == StateRejected:
			c.contradict(now)
			return c.known(now)
		case !now.State.Open():
			return c.known(now)
		}
		in = now
	}
	return nil, c.wait(in, "other executions are at it")
}

// contradict records that the provider has done what is taken for rejected.
func (c *call) contradict(in Intent) {
	const text = "a late answer says that the provider has done it, though it is taken for rejected"
	c.Logger().Error("idem: "+text, "provider", in.Provider, "key", in.Key)
	_, _, _ = c.change(in, c.AsideLasting, sqlRemark, c.Host.Name, text)
}

// reject stores a definite rejection. That of an execution that was overtaken counts for nothing: another request under
// the key may be under way.
func (c *call) reject(in Intent, why string) error {
	now, changed, err := c.change(in, c.AsideLasting, sqlSettle, string(StateRejected), nil, c.Host.Name, why)
	switch {
	case err != nil:
		return err
	case !changed && now.State != StateRejected:
		return c.wait(now, "another execution is at it")
	}
	return &RejectedError{Provider: now.Provider, Key: now.Key, Reason: now.Reason}
}

// unsent stores that this request has not left. An earlier one may have.
func (c *call) unsent(in Intent, cause error) ([]byte, error) {
	if in.State == StateUnknown {
		return nil, c.unclear(in, c.AsideLasting, "not sent: "+reason(cause), 0)
	}
	if _, _, err := c.change(in, c.AsideLasting, sqlUnsent, c.Host.Name, "not sent: "+reason(cause)); err != nil {
		return nil, err
	}
	return nil, &NotSentError{in.Provider, in.Key, cause}
}

// unclear stores that the outcome is not known, and lets the step wait. A receipt that is there by now is not lost: the
// next execution finds it.
func (c *call) unclear(in Intent, run aside, why string, embargo time.Duration) error {
	now, _, err := c.doubt(in, run, why, false, embargo)
	if err != nil {
		return err
	}
	return c.waitFor(now, embargo, why)
}

func (c *call) doubt(in Intent, run aside, why string, quarantine bool, embargo time.Duration) (Intent, bool, error) {
	return c.change(in, run, sqlDoubt, c.Host.Name, why, quarantine, embargo.Microseconds())
}

// mismatch fails closed: the step is discarded, whatever its handler makes of the error.
func (c *call) mismatch(in Intent, why string) error {
	c.Logger().Error("idem: a provider call's key met a second payload; nothing is sent, and the step is discarded", "provider", in.Provider, "key", in.Key, "why", why)
	return c.Mismatch(store.In(c.Host.Schema, `"idem".intents`), nil)
}

func (c *call) wait(in Intent, why string) error { return c.waitFor(in, 0, why) }

// waitFor lets the step wait for at least d: longer with each look at the intent.
func (c *call) waitFor(in Intent, d time.Duration, why string) error {
	return &UnknownError{Provider: in.Provider, Key: in.Key, Reason: why, Delay: d + c.def.backoff(in.Checks)}
}

// backoff doubles the pause with each look, with jitter on top.
func (d *definition) backoff(checks int) time.Duration {
	pause := time.Duration(min(float64(d.pause)*math.Pow(2, float64(max(checks-1, 0))), float64(maxPause)))
	return pause + mrand.N(pause/4+1)
}

// sparing ends a call a little before the attempt's end, so that what it came to can still be stored within the attempt:
// a timeout of the attempt would fail it, an unknown outcome does not.
func sparing(ctx context.Context) (context.Context, context.CancelFunc) {
	left := timeLeft(ctx)
	if left == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, left-min(left/5, 2*time.Second))
}

// timeLeft is how long a call may still take; 0 without a deadline.
func timeLeft(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(time.Until(deadline), time.Nanosecond)
}
