package diag_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/diag"
)

func ExampleList() {
	var list diag.List
	list.Add(diag.Position{File: "charge.go", Line: 12, Column: 16}, "unknown-argument", "did you mean table=?", "unknown argument %q", "tabel")
	list.Add(diag.Position{File: "charge.go", Line: 3, Column: 1}, "near-miss", "write //idem:action", "this is no directive")
	fmt.Println(list.Sorted())
	// Output:
	// charge.go:3:1: this is no directive; write //idem:action
	// charge.go:12:16: unknown argument "tabel"; did you mean table=?
}

func ExampleSuggest() {
	fmt.Println(diag.DidYouMean(diag.Suggest("tabel", []string{"table", "key", "item"})))
	// Output: did you mean table?
}
