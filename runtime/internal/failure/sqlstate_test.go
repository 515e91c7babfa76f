package failure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestOf(t *testing.T) {
	t.Parallel()
	pg := func(code string) error { return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}) }
	for name, c := range map[string]struct {
		err      error
		fault    Fault
		answered bool
	}{
		"unique violation":      {pg("23505"), Statement, true},
		"check violation":       {pg("23514"), Statement, true},
		"undefined table":       {pg("42P01"), Statement, true},
		"cancelled statement":   {pg("57014"), Statement, true},
		"bad text":              {pg("22021"), Statement, true},
		"serialization":         {pg("40001"), Conflict, true},
		"deadlock":              {pg("40P01"), Conflict, true},
		"fence":                 {pg(CodeLeaseLost), LeaseLost, true},
		"read-only":             {pg("25006"), Unreachable, true},
		"starting up":           {pg("57P03"), Unreachable, true},
		"too many connections":  {pg("53300"), Unreachable, true},
		"disk full":             {pg("53100"), Unreachable, true},
		"idle in transaction":   {pg("25P03"), Unreachable, true},
		"terminated":            {pg("57P01"), Unreachable, false}, // perhaps after the commit
		"crash":                 {pg("57P02"), Unreachable, false},
		"end of stream":         {io.ErrUnexpectedEOF, Unreachable, false},
		"deadline":              {context.DeadlineExceeded, Unreachable, false},
		"no rows":               {pgx.ErrNoRows, Statement, false},
		"mismatch with its own": {&MismatchError{Err: &pgconn.PgError{Code: "23514"}}, Statement, true},
		"not encodable":         {errors.New("failed to encode args[3]: unable to encode"), Statement, true},
	} {
		if got := Of(c.err); got != c.fault {
			t.Errorf("%s: fault %d, want %d", name, got, c.fault)
		}
		if got := Answered(c.err); got != c.answered {
			t.Errorf("%s: answered %v, want %v", name, got, c.answered)
		}
	}
}

// Whatever says that the state of the server, of the session or of somebody else's transaction stands against a statement may
// pass, and an outcome that is not recorded is sent again: so it is tried for as long as it takes.
func TestPassing(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"08006": true, "53300": true, "58030": true,
		"25006": true, "25P02": true, "25P03": true, "40001": true, "40003": true, "40P01": true,
		"55P03": true, "55000": true, "55006": true, "57014": true, "57P01": true, "57P03": true, "57P04": true, "57000": true,
		"23505": false, "22021": false, "42P01": false, "42501": false, "P0001": false, CodeTransition: false, "54000": false, "": false,
	} {
		if got := Passing(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("%q passes: %v, want %v", code, got, want)
		}
	}
	if !Passing(io.ErrUnexpectedEOF) || !Passing(context.DeadlineExceeded) {
		t.Error("a lost connection does not pass")
	}
}
