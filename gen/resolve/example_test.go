package resolve_test

import (
	"context"
	"fmt"
	"log"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/gen/resolve"
	"github.com/idem-go/idem/gen/scan"
)

// Packages come in import order: what is emitted for one joins it before those that import it are checked.
func ExamplePackages() {
	ctx, kinds := context.Background(), registry.Kinds.Resolve()
	found, err := scan.Packages(ctx, ".", []string{"./..."})
	if err != nil {
		log.Fatal(err)
	}
	program, err := load.Packages(ctx, ".", found, load.Needs{Directives: kinds.Directives(), Imports: kinds.Imports()})
	if err != nil {
		log.Fatal(err)
	}
	for r, err := range resolve.Packages(program, kinds) {
		if err != nil {
			log.Fatal(err)
		}
		code, err := emit.Go(r.Model)
		if err != nil {
			log.Fatal(err)
		}
		if err := program.Join(r.Package, code); err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Model.Path, len(r.Model.Declarations))
	}
}
