package step

import (
	"context"
	"log/slog"
	"time"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/internal/value"
)

// Logger returns the host's, with the identity of the step.
func (ex *Execution) Logger() *slog.Logger {
	return ex.Host.Log.With("run_id", ex.Step.RunID, "node", ex.Step.Node, "attempt", ex.Step.Attempt)
}

// DerivedID derives an identifier from the step's run and node and from parts. It is the same at every execution.
func (ex *Execution) DerivedID(prefix string, parts ...string) string {
	return value.DerivedID(prefix, append([]string{ex.Step.RunID, ex.Step.Node}, parts...)...)
}

// asideLimit bounds how long a statement outside the completion transaction is tried.
const asideLimit = 15 * time.Second

// Aside runs short statements outside the completion transaction: what they do stays, whatever becomes of the step. They
// have connections of their own, which handlers cannot use up. op is run again after a lost connection, so it must find
// out what it has done already. An error that is the database's costs the step no attempt. Aside ends with the attempt.
func (ex *Execution) Aside(what string, op func(ctx context.Context, db store.DB) error) error {
	if err := ex.Alive(); err != nil {
		return err
	}
	return ex.aside(ex, what, op)
}

// AsideLasting is [Execution.Aside] for what has happened outside already, and is to be kept also when the attempt has
// ended meanwhile.
func (ex *Execution) AsideLasting(what string, op func(ctx context.Context, db store.DB) error) error {
	return ex.aside(ex.Host.Lasting, what, op)
}

func (ex *Execution) aside(ctx context.Context, what string, op func(ctx context.Context, db store.DB) error) error {
	ctx, cancel := context.WithTimeout(ctx, asideLimit)
	defer cancel()
	err := ex.Host.Stubborn(ctx, what, func(ctx context.Context) error {
		ex.RoundTrip()
		return op(ctx, ex.Host.Session.Aside)
	})
	if err == nil {
		return nil
	}
	if fault := failure.Of(err); fault == failure.Unreachable || fault == failure.Conflict {
		return &failure.Interrupted{Err: err}
	}
	return err
}
