package commit_test

import (
	"fmt"

	"github.com/idem-go/idem/runtime/internal/commit"
	"github.com/idem-go/idem/runtime/internal/step"
)

// The steps of a handler are committed in groups, unless the database has refused many of its completions lately.
func ExampleGrouped() {
	h := &step.Handler{Node: "charge"}
	fmt.Println(commit.Grouped(h))
	h.Refused.Store(1 << 15) // half of them
	fmt.Println(commit.Grouped(h))
	// Output:
	// true
	// false
}
