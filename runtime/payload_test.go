package runtime

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/value"
)

// echo runs a step that gives what make makes of its input.
func echo[Out any](b *bench, name string, limit int64, make func(charge) Out) *Step[charge, Out] {
	step := NewStep[charge, Out](name, WithMaxOutput(limit))
	RegisterStep(b.reg, step, func(ctx Context, in charge) (out Out, err error) {
		if err := writeCharge(ctx, direct, in); err != nil {
			return out, err
		}
		return make(in), nil
	})
	return step
}

// textOf returns a text whose JSON form has size bytes.
func textOf(char string, size int) string {
	return strings.Repeat(char, (size-2)/len(char))
}

func TestF16_OutputLimit(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		over bool
	}{
		"exactly the limit":         {textOf("x", 1000), false},
		"one byte over":             {textOf("x", 1001), true},
		"multi-byte at the limit":   {textOf("é", 1000), false},
		"multi-byte over the limit": {textOf("é", 1002), true},
		"escapes over the limit":    {textOf("\n", 1000), true}, // two bytes each in JSON
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			step := echo(b, "sized", 1000, func(charge) string { return c.text })
			b.work(slow())
			run := must[Run](t)(step.Enqueue(t.Context(), b.client, charge{"ann", amount}))
			end := b.wait(run)
			if !c.over {
				b.is(end, StateCompleted, "", 1, 0)
				b.written(run, direct, 1)
				return
			}
			b.is(end, StateDiscarded, ReasonOutputTooLarge, 1, 0)
			b.written(run, direct, 0)
			if n := len(b.events.of(EventRetried)); n != 0 {
				t.Errorf("%d retries of an output that no retry makes smaller", n)
			}
		})
	}
}

// marshalled returns the bytes that a type's own MarshalJSON would.
type marshalled string

func (m marshalled) MarshalJSON() ([]byte, error) { return []byte(m), nil }

type cyclic struct{ Next *cyclic }

// unencodable are values that cannot be stored as they are.
func unencodable() map[string]any {
	loop := &cyclic{}
	loop.Next = loop
	return map[string]any{
		"NaN":                       math.NaN(),
		"infinity":                  math.Inf(1),
		"NUL in text":               "a\x00b",
		"NUL after a backslash":     "\\\x00",
		"NUL in a key":              map[string]int{"\x00": 1},
		"bad UTF-8":                 "a\xffb",
		"bad UTF-8 in a key":        map[string]int{"\xff": 1},
		"cut UTF-8":                 "caf\xc3",
		"encoded surrogate":         "\xed\xa0\x80",
		"channel":                   make(chan int),
		"cycle":                     loop,
		"invalid raw JSON":          json.RawMessage(`{"a":`),
		"bad UTF-8 in raw JSON":     json.RawMessage("\"\xff\""),
		"NUL in raw JSON":           json.RawMessage(`"\u0000"`),
		"lone high surrogate":       json.RawMessage(`"\ud800"`),
		"lone low surrogate":        json.RawMessage(`"\uDC00"`),
		"two high surrogates":       json.RawMessage(`"\ud800\ud800"`),
		"surrogate before text":     json.RawMessage(`"\ud83dx"`),
		"own form with a surrogate": marshalled(`"\udead"`),
	}
}

func TestF17_OutputCannotBeEncoded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	type item struct {
		name string
		run  Run
	}
	var runs []item
	steps := map[string]*Step[charge, any]{}
	for name, value := range unencodable() {
		steps[name] = echo(b, name, 1000, func(charge) any { return value })
	}
	b.work(slow())
	for name, step := range steps {
		runs = append(runs, item{name, must[Run](t)(step.Enqueue(t.Context(), b.client, charge{"ann", amount}))})
	}
	for _, r := range runs {
		end := b.wait(r.run)
		if end.State != StateDiscarded || end.Reason != ReasonPayloadUnencodable || end.Attempt != 1 {
			t.Errorf("%s: %s (%s), attempt %d; want it discarded as %s at once; error: %s", r.name, end.State, end.Reason, end.Attempt, ReasonPayloadUnencodable, end.Error)
		}
		b.written(r.run, direct, 0)
		if t.Failed() {
			return
		}
	}
}

func TestF17_InputCannotBeEncoded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[any]("any")
	for name, value := range unencodable() {
		_, err := action.Enqueue(t.Context(), b.client, value)
		if !errors.Is(err, ErrPayloadUnencodable) {
			t.Errorf("%s: enqueue gives %v, want ErrPayloadUnencodable", name, err)
		}
		var typed *PayloadEncodingError
		if !errors.As(err, &typed) || typed.What != "input" || typed.Node != "any" {
			t.Errorf("%s: %#v does not say what and where", name, err)
		}
	}
	if n := b.count(`SELECT count(*) FROM idem.steps`); n != 0 {
		t.Errorf("%d rows of refused inputs", n)
	}
}

func TestF19_InputLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[string]("sized", WithMaxInput(1000))
	must[Run](t)(action.Enqueue(t.Context(), b.client, textOf("é", 1000)))
	for name, text := range map[string]string{"one byte over": textOf("x", 1001), "multi-byte over": textOf("é", 1002)} {
		var size *PayloadSizeError
		if _, err := action.Enqueue(t.Context(), b.client, text); !errors.As(err, &size) || !errors.Is(err, ErrPayloadTooLarge) {
			t.Fatalf("%s: %v, want a PayloadSizeError", name, err)
		}
		if size.What != "input" || size.Limit != 1000 || size.Size <= 1000 {
			t.Errorf("%s: %+v", name, size)
		}
	}
	_, err := action.EnqueueMany(t.Context(), b.client, []string{"short", textOf("x", 1001)}, nil)
	if !errors.Is(err, ErrPayloadTooLarge) {
		t.Errorf("EnqueueMany gives %v, want ErrPayloadTooLarge", err)
	}
	if n := b.count(`SELECT count(*) FROM idem.steps`); n != 1 {
		t.Errorf("%d steps, want the one that was within the limit", n)
	}
}

type everything struct {
	Int      int64
	Uint     uint64
	Big      *big.Int
	Float    float64
	Text     string
	Odd      string
	Bytes    []byte
	Empty    []string
	Nil      []string
	Map      map[string]int
	Pointer  *int
	Time     time.Time
	Raw      json.RawMessage
	Unicode  string
	Escaped  string
	Nested   any
	Interval time.Duration
}

func TestF19_ValuesComeBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	huge, _ := new(big.Int).SetString("1"+strings.Repeat("0", 30), 10)
	var nested any = "core"
	for range 500 {
		nested = []any{nested}
	}
	in := everything{
		Int: 1<<53 + 1, Uint: math.MaxUint64, Big: huge, Float: math.SmallestNonzeroFloat64, Text: "", Odd: ` %s '' "$1" ; -- <&> \u0041 \ufffd \u0000`,
		Bytes: []byte{0, 0xff, 0xfe}, Empty: []string{}, Time: time.Date(2024, 2, 29, 23, 59, 59, 123456789, time.UTC),
		Raw:     json.RawMessage(`{"b":1,"a":2,"b":3,"n":123456789012345678901234567890,"e":1e400,"pair":"\ud83d\ude00"}`),
		Unicode: "é e\u0301 \ufffd 😀 \u2028", Escaped: "\\u0000\\\\ufffd", Nested: nested, Interval: math.MaxInt64,
	}
	seen := make(chan everything, 1)
	step := NewStep[everything, everything]("everything")
	RegisterStep(b.reg, step, func(_ Context, in everything) (everything, error) {
		seen <- in
		return in, nil
	})
	b.work(slow())
	out := must[everything](t)(step.Output(t.Context(), b.client, must[Run](t)(step.Enqueue(t.Context(), b.client, in))))
	for what, got := range map[string]everything{"input": <-seen, "output": out} {
		if !reflect.DeepEqual(got, in) {
			t.Errorf("%s came back as %+v, want %+v", what, got, in)
		}
	}
}

// A stored input that does not fit its type is given up at once: no loop.
func TestUndecodableInputIsDiscarded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("typed")
	RegisterAction(b.reg, action, recordCharge)
	run := must[Run](t)(NewAction[[]int]("typed").Enqueue(t.Context(), b.client, []int{1}))
	b.work(slow())
	b.is(b.wait(run), StateDiscarded, ReasonInputUndecodable, 1, 0)
}

func TestCheckText(t *testing.T) {
	t.Parallel()
	for text, bad := range map[string]bool{
		``: false, `"\u0041"`: false, `"\\u0000"`: false, `"\\\u0000"`: true, `"\u0000"`: true, `"\\\\u0000"`: false,
		`"\ufffd"`: true, "\"\ufffd\"": false, `"\\ufffd"`: false, `"\\\\\ufffd"`: true, `"\u00`: false, `"x\u0000`: true,
		`"\ud83d\ude00"`: false, `"\uD83D\uDE00"`: false, `"\ud83d"`: true, `"\ude00"`: true, `"\ud83d\\ude00"`: true, `"\\ud83d"`: false,
		"\"\xff\"": true,
	} {
		if err := value.CheckText([]byte(text)); (err != nil) != bad {
			t.Errorf("%s: %v, want an error: %v", text, err, bad)
		}
	}
}
