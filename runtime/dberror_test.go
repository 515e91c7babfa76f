package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestFaultOf(t *testing.T) {
	t.Parallel()
	pg := func(code string) error { return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}) }
	for name, c := range map[string]struct {
		err      error
		fault    fault
		answered bool
	}{
		"unique violation":      {pg("23505"), faultStatement, true},
		"check violation":       {pg("23514"), faultStatement, true},
		"undefined table":       {pg("42P01"), faultStatement, true},
		"cancelled statement":   {pg("57014"), faultStatement, true},
		"bad text":              {pg("22021"), faultStatement, true},
		"serialization":         {pg("40001"), faultConflict, true},
		"deadlock":              {pg("40P01"), faultConflict, true},
		"fence":                 {pg(sqlLeaseLost), faultLeaseLost, true},
		"read-only":             {pg("25006"), faultUnreachable, true},
		"starting up":           {pg("57P03"), faultUnreachable, true},
		"too many connections":  {pg("53300"), faultUnreachable, true},
		"disk full":             {pg("53100"), faultUnreachable, true},
		"idle in transaction":   {pg("25P03"), faultUnreachable, true},
		"terminated":            {pg("57P01"), faultUnreachable, false}, // perhaps after the commit
		"crash":                 {pg("57P02"), faultUnreachable, false},
		"end of stream":         {io.ErrUnexpectedEOF, faultUnreachable, false},
		"deadline":              {context.DeadlineExceeded, faultUnreachable, false},
		"no rows":               {pgx.ErrNoRows, faultStatement, false},
		"mismatch with its own": {&MismatchError{err: &pgconn.PgError{Code: "23514"}}, faultStatement, true},
		"not encodable":         {errors.New("failed to encode args[3]: unable to encode"), faultStatement, true},
	} {
		if got := faultOf(c.err); got != c.fault {
			t.Errorf("%s: fault %d, want %d", name, got, c.fault)
		}
		if got := answered(c.err); got != c.answered {
			t.Errorf("%s: answered %v, want %v", name, got, c.answered)
		}
	}
}
