package failure

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Fault sorts an error of the database by what has to follow.
type Fault int

// The faults.
const (
	Statement   Fault = iota // the statement is at fault: the attempt fails
	Conflict                 // serialization failure, deadlock, lock timeout: the same again
	Unreachable              // no connection, restarting, read-only, out of resources: wait
	LeaseLost                // the fence refused
)

// SQLSTATEs that are looked for. The first two are idem's own: they are raised by functions of its schema.
// See "PostgreSQL Error Codes", appendix A of PostgreSQL's documentation.
const (
	CodeLeaseLost     = "ID001" // by the fence of a completion
	CodeTransition    = "ID002" // by the trigger that guards an intent's states
	codeCheck         = "23514"
	codeReadOnly      = "25006" // a demoted or standby server
	codeIdleInTx      = "25P03"
	codeTxTimeout     = "25P04"
	codeNoSchema      = "3F000"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeNoFunction    = "42883"
	codeLock          = "55P03" // a lock was not to be had in time
	codeShutdown      = "57P01" // by an administrator
	codeCrash         = "57P02"
	codeStarting      = "57P03"
	codeIdleSession   = "57P05"
)

// The classes of SQLSTATEs that say nothing about the statement.
const (
	classConnection = "08"
	classResources  = "53" // disk, memory, connections
	classSystem     = "58"
)

// The classes of SQLSTATEs that say something about the moment, if not of the statement alone.
const (
	classTransaction = "25" // the session's state
	classRollback    = "40"
	classState       = "55" // of an object: locked, in use, not prepared by an operator
	classOperator    = "57" // somebody intervenes
)

// codes is what each SQLSTATE means whose class does not say it.
var codes = map[string]Fault{
	CodeLeaseLost:     LeaseLost,
	codeSerialization: Conflict,
	codeDeadlock:      Conflict,
	codeLock:          Conflict,
	codeReadOnly:      Unreachable,
	codeIdleInTx:      Unreachable,
	codeTxTimeout:     Unreachable,
	codeShutdown:      Unreachable,
	codeCrash:         Unreachable,
	codeStarting:      Unreachable,
	codeIdleSession:   Unreachable,
}

// Of judges an error that came from sending a statement to the database.
func Of(err error) Fault {
	pg, answered := errors.AsType[*pgconn.PgError](err)
	if !answered {
		if Unsent(err) || errors.Is(err, pgx.ErrNoRows) {
			return Statement
		}
		return Unreachable // no answer of the server: the connection failed, or was closed
	}
	if fault, known := codes[pg.Code]; known {
		return fault
	}
	switch class(pg.Code) {
	case classConnection, classResources, classSystem:
		return Unreachable
	}
	return Statement
}

func class(code string) string {
	if len(code) < 2 {
		return ""
	}
	return code[:2]
}

// Passing reports whether a statement of ours may succeed later, the connection or the server being at fault, or the state that
// something is in at the moment. It is for what must be recorded, and is wrong about no handler: more passes than [Of] says.
func Passing(err error) bool {
	if Of(err) != Statement {
		return true
	}
	pg, answered := errors.AsType[*pgconn.PgError](err)
	if !answered {
		return false
	}
	switch class(pg.Code) {
	case classTransaction, classRollback, classState, classOperator:
		return true
	}
	return false
}

// Answered reports whether it is known that the statement took no effect: the server answered with an error, or
// was never asked. If not, whether it did is not known.
func Answered(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code != codeShutdown && pg.Code != codeCrash
	}
	return Unsent(err)
}

// Unsent reports whether nothing was sent since pgx could not encode an argument: a number out of its column's
// range, a type that it does not know. pgx has no error type for it alone, so its text must do; where the text
// is another one, the tests of all its modes fail.
func Unsent(err error) bool {
	text := err.Error()
	return strings.Contains(text, "failed to encode args[") || strings.Contains(text, "error preprocessing batch (build)")
}

// Refused reports whether the database refused a statement for what it is about, so that others may well succeed.
func Refused(err error) bool { return Of(err) == Statement || is(err, codeLock) }

// Rerun reports whether the transaction was the victim of another one, and may be run again as it was.
func Rerun(err error) bool { return is(err, codeSerialization) || is(err, codeDeadlock) }

// Unavailable reports whether the server itself said that it does not serve at the moment.
func Unavailable(err error) bool {
	_, answered := errors.AsType[*pgconn.PgError](err)
	return answered && Of(err) == Unreachable
}

// Demoted reports whether the server has become read-only: a connection to it stays there for ever, a new one may find the
// new primary.
func Demoted(err error) bool { return is(err, codeReadOnly) }

// NoSchema reports whether the runtime's schema, or its functions, are missing.
func NoSchema(err error) bool { return is(err, codeNoSchema) || is(err, codeNoFunction) }

// Transition reports whether the database refused a change of an intent's state that must not be.
func Transition(err error) bool { return is(err, CodeTransition) }

// Guard reports whether err is the refusal of the CHECK constraint of that name.
func Guard(err error, constraint string) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == codeCheck && pg.ConstraintName == constraint
}

func is(err error, code string) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == code
}
