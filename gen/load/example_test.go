package load_test

import (
	"context"
	"fmt"
	"log"

	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/scan"
)

// Packages are parsed here; of what they import only the types are read, from export data.
func ExampleParse() {
	ctx := context.Background()
	found, err := scan.Packages(ctx, ".", []string{"./..."})
	if err != nil {
		log.Fatal(err)
	}
	program := load.Parse(".", found)
	if err := program.Import(ctx, func(*load.Package) bool { return true }); err != nil {
		log.Fatal(err)
	}
	fmt.Println(program.Imported("time"))
}
