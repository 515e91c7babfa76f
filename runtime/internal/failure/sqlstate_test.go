package failure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

// Each SQLSTATE that is judged, and some of each class that is judged as a whole, beside others that look alike.
func TestJudgements(t *testing.T) {
	t.Parallel()
	judgements := []struct {
		name  string
		judge func(error) bool
	}{
		{"answered", Answered}, {"passing", Passing}, {"refused", Refused}, {"rerun", Rerun}, {"unavailable", Unavailable},
		{"demoted", Demoted}, {"no schema", NoSchema}, {"transition", Transition},
	}
	const (
		statement   = "answered, refused"
		state       = "answered, passing, refused" // of the moment
		unreachable = "answered, passing, unavailable"
	)
	for code, want := range map[string]string{
		"":      statement,
		"0":     statement,
		"00000": statement,
		"02000": statement,
		"08000": unreachable, // connection exception
		"08006": unreachable,
		"08P01": unreachable,
		"0A000": statement, // feature not supported
		"22021": statement, // character not in repertoire
		"23502": statement,
		"23505": statement,
		"23514": statement,
		"25001": state,                     // active SQL transaction
		"25006": unreachable + ", demoted", // read-only SQL transaction
		"25P02": state,                     // in failed SQL transaction
		"25P03": unreachable,               // idle-in-transaction session timeout
		"25P04": unreachable,               // transaction timeout
		"28P01": statement,                 // invalid password
		"3D000": statement,                 // invalid catalog name
		"3F000": statement + ", no schema",
		"40000": state,
		"40001": "answered, passing, rerun", // serialization failure
		"40002": state,                      // transaction integrity constraint violation
		"40003": state,                      // statement completion unknown
		"40P01": "answered, passing, rerun", // deadlock detected
		"42501": statement,                  // insufficient privilege
		"42883": statement + ", no schema",  // undefined function
		"42P01": statement,                  // undefined table
		"53000": unreachable,                // insufficient resources
		"53100": unreachable,                // disk full
		"53200": unreachable,                // out of memory
		"53300": unreachable,                // too many connections
		"53400": unreachable,                // configuration limit exceeded
		"54000": statement,                  // program limit exceeded
		"55000": state,                      // object not in prerequisite state
		"55006": state,                      // object in use
		"55P03": "answered, passing, refused",
		"57000": state,
		"57014": state,
		"57P01": "passing, unavailable", // an administrator's shutdown may come after the commit
		"57P02": "passing, unavailable", // and so may a crash
		"57P03": unreachable,
		"57P04": state, // database dropped
		"57P05": unreachable,
		"58000": unreachable, // system error
		"58030": unreachable, // I/O error
		"ID000": statement,
		"ID001": "answered", // the fence
		"ID002": statement + ", transition",
		"P0001": statement, // raised by a function
		"XX000": statement, // internal error
	} {
		err := fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})
		var got []string
		for _, j := range judgements {
			if j.judge(err) {
				got = append(got, j.name)
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%q is %s, want %s", code, got, want)
		}
	}
}

// What did not come from the server is no judgement of it.
func TestJudgementsWithoutAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err             error
		passes, refused bool
	}{
		{io.ErrUnexpectedEOF, true, false},
		{context.Canceled, true, false},
		{fmt.Errorf("wrapped: %w", pgx.ErrNoRows), false, true},
		{errors.New("failed to encode args[0]: unable to encode"), false, true},
		{errors.New("error preprocessing batch (build): unable to encode"), false, true},
	} {
		if Passing(c.err) != c.passes || Refused(c.err) != c.refused {
			t.Errorf("%v: passing %v, refused %v", c.err, Passing(c.err), Refused(c.err))
		}
		for name, judge := range map[string]func(error) bool{"rerun": Rerun, "unavailable": Unavailable, "demoted": Demoted, "no schema": NoSchema, "transition": Transition} {
			if judge(c.err) {
				t.Errorf("%v is %s", c.err, name)
			}
		}
	}
}

// A guard is known by its name, and by nothing else that it has in common with others.
func TestGuard(t *testing.T) {
	t.Parallel()
	refusal := &pgconn.PgError{Code: "23514", ConstraintName: "ledger_payload_check"}
	for _, c := range []struct {
		err        error
		constraint string
		want       bool
	}{
		{refusal, "ledger_payload_check", true},
		{fmt.Errorf("wrapped: %w", refusal), "ledger_payload_check", true},
		{&MismatchError{Err: refusal}, "ledger_payload_check", true},
		{refusal, "ledger_amount_check", false},
		{refusal, "", false},
		{&pgconn.PgError{Code: "23505", ConstraintName: "ledger_payload_check"}, "ledger_payload_check", false},
		{errors.New("ledger_payload_check"), "ledger_payload_check", false},
		{&MismatchError{}, "", false},
	} {
		if got := Guard(c.err, c.constraint); got != c.want {
			t.Errorf("%v is the refusal of %q: %v, want %v", c.err, c.constraint, got, c.want)
		}
	}
}
