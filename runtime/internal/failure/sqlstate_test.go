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
