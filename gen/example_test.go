package gen_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/diag"
)

// A run is made in memory; writing it, or comparing it, is another step.
func ExampleRun() {
	result, err := gen.Run(context.Background(), gen.Options{Patterns: []string{"./..."}})
	if list, found := errors.AsType[diag.List](err); found {
		fmt.Println(list) // file:line:col: what is wrong; what would be right
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range result.Drift() {
		fmt.Println(file.State, file.Rel)
	}
	if err := result.Write(); err != nil {
		log.Fatal(err)
	}
}
