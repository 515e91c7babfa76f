package registry_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/registry"
)

// The list says which directives there are.
func ExampleKinds() {
	fmt.Println(registry.Kinds.Directives().Names())
	// Output: [action step effect outbox provider flow]
}
