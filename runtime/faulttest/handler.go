package faulttest

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

// Handler is an action's handler, with what it takes to run it.
type Handler[In any] struct {
	// Migrations is the folder with the SQL files of the handler's tables, relative to the test's package.
	// Its files are applied in the order of their numbers. The runtime's own tables are added.
	Migrations string
	// Run is the handler, and Input what it is run with.
	Run   func(runtime.Context, In) error
	Input In
	// Fixture takes the place of Run and Input where these need something: rows in the database, the
	// receiver of a method. It is called once to prepare the database ([F].First) and then for each copy of it.
	Fixture func(f *F) (run func(runtime.Context, In) error, input In)
	// Other is an input that asks for something else under the same business key. Without it each value in
	// the input is changed in turn.
	Other In
	// Ignore names tables that are not compared, such as a log of attempts.
	Ignore []string
	// Receipts has, by provider, what the providers' functions are to answer. The others answer with a made-up value
	// of their receipt's type. A fixture gives receipts by [F.Receipt].
	Receipts map[string]any
}

// StepHandler is a step's handler, with what it takes to run it. Its fields are those of [Handler].
type StepHandler[In, Out any] struct {
	Migrations string
	Run        func(runtime.Context, In) (Out, error)
	Input      In
	Fixture    func(f *F) (run func(runtime.Context, In) (Out, error), input In)
	Other      In
	Ignore     []string
	Receipts   map[string]any
}

// F is what a fixture is given: the test, and a database of its own.
type F struct {
	testing.TB
	// Pool is the database. What is written through it is not part of any step.
	Pool *pgxpool.Pool
	// First is true once per test, when the database is prepared that all faults get a copy of: insert
	// what the handler needs then, and only then.
	First bool

	receipts map[string]any
}

// Receipt returns what a provider's function is to answer: a value of the type that it returns. It is for handlers that do
// not go on with a made-up one.
func (f *F) Receipt(provider string, receipt any) {
	if f.receipts == nil {
		f.receipts = map[string]any{}
	}
	f.receipts[provider] = receipt
}

// Action runs an action's handler without a fault, and then with each fault that can befall it, as subtests.
// Each must leave the database as the run without a fault does.
func Action[In any](t *testing.T, a *runtime.Action[In], h Handler[In]) {
	t.Helper()
	test(t, actionSubject(t, a, h))
}

func actionSubject[In any](tb testing.TB, a *runtime.Action[In], h Handler[In]) *subject {
	tb.Helper()
	fixture := h.Fixture
	if fixture == nil {
		fixture = func(*F) (func(runtime.Context, In) error, In) { return h.Run, h.Input }
	}
	return &subject{
		node: a.Name(), limits: a.Limits(), action: true, migrations: h.Migrations, ignore: h.Ignore, receipts: h.Receipts,
		other: encodeOther(tb, h.Other), again: again[In],
		bind: func(f *F) bound {
			run, input := fixture(f)
			if run == nil {
				f.Fatalf("faulttest: Handler.Run is nil, or Fixture gave no handler")
			}
			return bound{input: encode(f, &input), run: func(ctx runtime.Context, raw json.RawMessage) (any, error) {
				in, err := decode[In](raw)
				if err != nil {
					return nil, err
				}
				return nil, run(ctx, in)
			}}
		},
	}
}

// Step is [Action] for a step's handler. Its output is compared too.
func Step[In, Out any](t *testing.T, s *runtime.Step[In, Out], h StepHandler[In, Out]) {
	t.Helper()
	test(t, stepSubject(t, s, h))
}

func stepSubject[In, Out any](tb testing.TB, s *runtime.Step[In, Out], h StepHandler[In, Out]) *subject {
	tb.Helper()
	fixture := h.Fixture
	if fixture == nil {
		fixture = func(*F) (func(runtime.Context, In) (Out, error), In) { return h.Run, h.Input }
	}
	return &subject{
		node: s.Name(), limits: s.Limits(), migrations: h.Migrations, ignore: h.Ignore, receipts: h.Receipts,
		other: encodeOther(tb, h.Other), again: again[In],
		bind: func(f *F) bound {
			run, input := fixture(f)
			if run == nil {
				f.Fatalf("faulttest: StepHandler.Run is nil, or Fixture gave no handler")
			}
			return bound{input: encode(f, &input), run: func(ctx runtime.Context, raw json.RawMessage) (any, error) {
				in, err := decode[In](raw)
				if err != nil {
					return nil, err
				}
				return run(ctx, in)
			}}
		},
	}
}

// subject is a handler under test, whatever its types: its input travels as JSON, as it does in the database.
type subject struct {
	node       string
	limits     runtime.Limits
	action     bool // without an output
	migrations string
	ignore     []string
	receipts   map[string]any  // by provider
	other      json.RawMessage // nil: there is none
	bind       func(*F) bound
	again      func(json.RawMessage) (json.RawMessage, error) // decodes an input and encodes it again
}

// bound is a handler that is ready to run on one database.
type bound struct {
	run   func(runtime.Context, json.RawMessage) (any, error)
	input json.RawMessage
}

// encode takes a pointer, as the client does: only so are marshallers on pointer receivers called.
func encode(tb testing.TB, v any) json.RawMessage {
	tb.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		tb.Fatalf("faulttest: the input cannot be encoded: %v", err)
	}
	return raw
}

func encodeOther[In any](tb testing.TB, other In) json.RawMessage {
	tb.Helper()
	if v := reflect.ValueOf(&other).Elem(); v.IsZero() {
		return nil
	}
	return encode(tb, &other)
}

func decode[In any](raw json.RawMessage) (in In, err error) {
	err = json.Unmarshal(raw, &in)
	return in, err
}

func again[In any](raw json.RawMessage) (json.RawMessage, error) {
	in, err := decode[In](raw)
	if err != nil {
		return nil, err
	}
	return json.Marshal(&in)
}
