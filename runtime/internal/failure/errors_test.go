package failure

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// Typed errors match what a caller looks for, hand their cause on, and say what to do next.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err   error
		is    error
		cause bool
		says  []string
	}{
		{&MismatchError{Table: `"ledger"`, RunID: "run_1", Node: "charge", Err: io.EOF}, ErrPayloadMismatch, true, []string{`"ledger"`, "run_1", "charge", "which of the two"}},
		{&MismatchError{}, ErrPayloadMismatch, false, nil},
		{&PayloadSizeError{What: "input", Node: "charge", Size: 11, Limit: 10}, ErrPayloadTooLarge, false, []string{"11", "10", "charge", "max_input="}},
		{&PayloadEncodingError{What: "output", Node: "charge", Err: io.EOF}, ErrPayloadUnencodable, true, []string{"output of charge", "EOF"}},
		{&PanicError{Value: "boom"}, nil, false, []string{"boom"}},
		{&Permanent{io.EOF}, nil, true, []string{"EOF"}},
		{&Later{io.EOF, time.Second}, nil, true, []string{"EOF"}},
		{&Waiting{io.EOF, time.Second}, nil, true, []string{"EOF"}},
		{&Input{io.EOF}, nil, true, []string{"EOF"}},
		{&Interrupted{io.EOF}, nil, true, []string{"EOF"}},
	} {
		for _, sentinel := range []error{ErrPayloadMismatch, ErrPayloadTooLarge, ErrPayloadUnencodable, ErrLeaseLost} {
			if got := errors.Is(c.err, sentinel); got != (sentinel == c.is) {
				t.Errorf("%v is %v: %v", c.err, sentinel, got)
			}
		}
		if errors.Is(c.err, io.EOF) != c.cause {
			t.Errorf("%v hands its cause on: %v, want %v", c.err, !c.cause, c.cause)
		}
		for _, text := range c.says {
			if !strings.Contains(c.err.Error(), text) {
				t.Errorf("%v does not say %q", c.err, text)
			}
		}
	}
}

// broken is an error whose methods panic, as those of a nil pointer in an error interface do.
type broken struct{ text string }

func (b *broken) Error() string { return b.text }

// An error that cannot be asked panics when it is asked first, and not when its failure is recorded.
func TestAsk(t *testing.T) {
	t.Parallel()
	Ask(&Permanent{io.EOF})
	defer func() {
		if recover() == nil {
			t.Error("a nil pointer was asked")
		}
	}()
	var none *broken
	Ask(none)
}
