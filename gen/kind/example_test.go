package kind_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/kind"
)

// A list of kinds is all that the stages ask of them: the directives, for one.
func ExampleKinds_Directives() {
	kinds := kind.Kinds{kind.Reserved("flow", "Typed wiring of steps.", directive.Vars)}
	for _, spec := range kinds.Directives() {
		fmt.Println(spec.Name, spec.Later)
	}
	// Output: flow true
}
