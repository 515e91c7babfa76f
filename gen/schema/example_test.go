package schema_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/schema"
)

// A new nullable column is additive; a changed type is refused, with what a person should look at.
func ExampleDiff() {
	before := schema.Table{Name: "ledger", Columns: []schema.Column{{Name: "cents", Type: "integer"}}}
	wider := schema.Table{Name: "ledger", Columns: []schema.Column{{Name: "cents", Type: "integer"}, {Name: "note", Type: "text", Nullable: true}}}
	_, refused := schema.Diff(before, wider)
	fmt.Println(len(refused))
	retyped := schema.Table{Name: "ledger", Columns: []schema.Column{{Name: "cents", Type: "bigint"}}}
	_, refused = schema.Diff(before, retyped)
	fmt.Println(len(refused))
	// Output:
	// 0
	// 1
}
