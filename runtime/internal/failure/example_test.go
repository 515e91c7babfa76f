package failure_test

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime/internal/failure"
)

// A deadlock is nobody's fault: the same again may succeed. A unique violation is the statement's.
func ExampleOf() {
	deadlock, violation := &pgconn.PgError{Code: "40P01"}, &pgconn.PgError{Code: "23505"}
	fmt.Println(failure.Of(deadlock) == failure.Conflict, failure.Passing(deadlock))
	fmt.Println(failure.Of(violation) == failure.Statement, failure.Passing(violation))
	// Output:
	// true true
	// true false
}
