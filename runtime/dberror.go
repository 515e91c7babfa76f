package runtime

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// interruptedError marks a failure that was the database's or the network's: no fault of the handler, no attempt.
type interruptedError struct{ err error }

func (e *interruptedError) Error() string { return e.err.Error() }
func (e *interruptedError) Unwrap() error { return e.err }

// fault sorts an error of the database by what has to follow.
type fault int

const (
	faultStatement   fault = iota // the statement is at fault: the attempt fails
	faultConflict                 // serialization failure, deadlock, lock timeout: the same again
	faultUnreachable              // no connection, restarting, read-only, out of resources: wait
	faultLeaseLost                // the fence refused
)

// sqlLockTimeout is the SQLSTATE of a lock that was not to be had in time.
const sqlLockTimeout = "55P03"

func faultOf(err error) fault {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		if unsent(err) || errors.Is(err, pgx.ErrNoRows) {
			return faultStatement
		}
		// No answer of the server: the connection failed, or was closed.
		return faultUnreachable
	}
	switch {
	case pg.Code == sqlLeaseLost:
		return faultLeaseLost
	case pg.Code == "40001" || pg.Code == "40P01" || pg.Code == sqlLockTimeout:
		return faultConflict
	case pg.Code == "25006", // read-only: a demoted or standby server
		pg.Code == "57P01", pg.Code == "57P02", pg.Code == "57P03", pg.Code == "57P05", // shutting down, starting up
		pg.Code == "25P03", pg.Code == "25P04", // idle in transaction, transaction timeout
		strings.HasPrefix(pg.Code, "08"), // connection
		strings.HasPrefix(pg.Code, "53"), // disk, memory, connections
		strings.HasPrefix(pg.Code, "58"): // system
		return faultUnreachable
	}
	return faultStatement
}

// answered tells whether it is known that the statement took no effect: the server answered with an error, or
// was never asked. If not, whether it did is not known.
func answered(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code != "57P01" && pg.Code != "57P02"
	}
	return unsent(err)
}

// unsent tells whether nothing was sent since pgx could not encode an argument: a number out of its column's
// range, a type that it does not know. pgx has no error type for it alone, so its text must do; where the text
// is another one, the tests of all its modes fail.
func unsent(err error) bool {
	text := err.Error()
	return strings.Contains(text, "failed to encode args[") || strings.Contains(text, "error preprocessing batch (build)")
}

// stubborn repeats op until it succeeds, ctx ends, or its error is the statement's own. The pauses grow
// to two seconds, with jitter, so that workers do not come back to a restarted server all at once.
func (w *Worker) stubborn(ctx context.Context, what string, op func(context.Context) error) error {
	for try := 1; ; try++ {
		opCtx, cancel := context.WithTimeout(ctx, w.cfg.Lease)
		err := op(opCtx)
		cancel()
		if err == nil || faultOf(err) == faultStatement || faultOf(err) == faultLeaseLost {
			return err
		}
		if try == 1 || try%20 == 0 {
			w.log.Warn("idem: the database does not take writes, trying again", "what", what, "try", try, "error", err)
		}
		w.observe(Event{Kind: EventUnreachable, Err: err})
		w.forgetDemoted(err)
		if !pace.Pause(ctx, pace.Jitter(pace.Backoff(50*time.Millisecond, try, 2*time.Second))) {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

func isCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

func isConflict(err error) bool { return isCode(err, "40001") || isCode(err, "40P01") }

// isUnavailable tells whether the server itself said that it does not serve at the moment.
func isUnavailable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && faultOf(err) == faultUnreachable
}
