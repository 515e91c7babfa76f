package faulttest

import (
	"errors"

	"github.com/idem-go/idem/runtime"
)

// errInjected is what a failing handler returns.
var errInjected = errors.New("faulttest: this attempt fails on purpose")

// first does something at the first execution, and lets the others be.
func first(f func(x *execution) (any, error)) func(x *execution) (any, error) {
	return func(x *execution) (any, error) {
		if x.n > 1 {
			return x.handler()
		}
		return f(x)
	}
}

// failures are attempts that fail by themselves.
func failures() []*fault {
	return []*fault{
		{
			name: "an error after the write",
			around: first(func(x *execution) (any, error) {
				_, _ = x.write()
				x.fire()
				return nil, errInjected
			}),
			want: want{attempt: exactly(2), runs: exactly(2)},
		}, {
			name: "a panic after the write",
			around: first(func(x *execution) (any, error) {
				_, _ = x.write()
				x.fire()
				panic(errInjected)
			}),
			want: want{attempt: exactly(2), runs: exactly(2)},
		}, {
			name: "an SQL error that is swallowed", swallows: true,
			around: first(func(x *execution) (any, error) {
				out, _ := x.write()
				if _, err := x.ctx.CompletionTx().Exec(x.ctx, `SELECT 1/0`); err != nil {
					x.fire()
				}
				return out, nil
			}),
			want: want{attempt: exactly(2), runs: exactly(2)},
		}, {
			name:   "an error at every attempt",
			limits: func(l *limits) { l.attempts = 3 },
			around: func(x *execution) (any, error) {
				_, _ = x.write()
				x.fire()
				return nil, errInjected
			},
			want: want{state: runtime.StateDiscarded, reason: runtime.ReasonAttemptsExhausted, attempt: exactly(3), runs: exactly(3)},
		},
	}
}
