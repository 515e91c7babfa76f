package sqltext_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/sqltext"
)

// Whatever a name is, it stays a name.
func ExampleQuote() {
	fmt.Println(sqltext.Quote(`ledger"; DROP TABLE ledger; --`))
	// Output: "ledger""; DROP TABLE ledger; --"
}

// A default is an expression, and nothing more.
func ExampleCheckExpression() {
	fmt.Println(sqltext.CheckExpression(`now()`))
	fmt.Println(sqltext.CheckExpression(`0); DROP TABLE ledger; --`) != nil)
	// Output:
	// <nil>
	// true
}
