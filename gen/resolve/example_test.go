package resolve_test

import (
	"context"
	"fmt"
	"log"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/gen/resolve"
)

// Packages come in import order: what is emitted for one is there when those that import it are checked.
func ExamplePackages() {
	resolution, err := resolve.Packages(context.Background(), ".", []string{"./..."}, registry.Kinds.Resolve(), nil, emit.Go)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range resolution.Packages {
		fmt.Println(p.Model.Path, len(p.Model.Declarations))
	}
}
