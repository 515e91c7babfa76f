package faulttest

import (
	"errors"
	"strings"

	"github.com/idem-go/idem/runtime"
)

// payloads are inputs and outputs that must not pass.
func (s *suite) payloads() []*fault {
	list := []*fault{{
		name:   "an input over the limit",
		limits: func(l *limits) { l.input = max(2, int64(len(s.input))-1) },
		play: func(tr *trial) {
			input := tr.bound.input
			if len(input) <= 2 {
				input = []byte(`"larger"`)
			}
			if _, err := tr.enqueue(input); !errors.Is(err, runtime.ErrPayloadTooLarge) {
				tr.problem("enqueueing it gives %v, and must give %v", err, runtime.ErrPayloadTooLarge)
			}
			tr.fire()
			tr.unseen("although nothing was enqueued")
			// The handler itself is not to blame for a limit: with the input it allows, it runs.
			tr.limits.input = tr.defaults().input
			tr.play()
		},
	}}
	if s.action {
		return list
	}
	broken := func(name string, reason runtime.Reason, output any) *fault {
		return &fault{
			name: name,
			around: func(x *execution) (any, error) {
				_, err := x.write()
				x.fire()
				return output, err
			},
			want: want{state: runtime.StateDiscarded, reason: reason},
		}
	}
	over := broken("an output over the limit", runtime.ReasonOutputTooLarge, strings.Repeat("ü", len(s.output)))
	over.limits = func(l *limits) { l.output = max(2, int64(len(s.output))) }
	exact := &fault{
		name:   "an output of exactly the limit",
		limits: func(l *limits) { l.output = max(2, int64(len(s.output))+slack) },
		around: func(x *execution) (any, error) { x.fire(); return x.handler() },
	}
	return append(list, over, exact,
		broken("an output that cannot be stored", runtime.ReasonPayloadUnencodable, "\x00"))
}

// slack is how many digits more a generated number in an output may have than in the run without a fault.
const slack = 4
