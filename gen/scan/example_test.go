package scan_test

import (
	"context"
	"fmt"
	"log"

	"github.com/idem-go/idem/gen/scan"
)

// Only packages whose files mention idem are looked at any further.
func ExamplePackages() {
	found, err := scan.Packages(context.Background(), ".", []string{"./..."})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range found {
		fmt.Println(p.Path, p.Dir)
	}
}
