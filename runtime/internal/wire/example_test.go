package wire_test

import (
	"fmt"

	"github.com/idem-go/idem/runtime/internal/wire"
)

// A match picks the request at which a connection is cut.
func ExampleNth() {
	second := wire.Nth(2, wire.Commit)
	for _, sql := range []string{"commit", "SELECT 1", "COMMIT;"} {
		fmt.Println(sql, second(wire.Request{Statements: []string{sql}}))
	}
	// Output:
	// commit false
	// SELECT 1 false
	// COMMIT; true
}
