package probe_test

import (
	"fmt"

	"github.com/idem-go/idem/runtime/internal/probe"
)

func ExampleSet() {
	remove := probe.Set(func(p probe.Point, runID, node string) { fmt.Println(p, runID, node) })
	probe.At(probe.HandlerStart, "run-1", "charge")
	remove()
	probe.At(probe.HandlerStart, "run-2", "charge")
	// Output: handler.start run-1 charge
}
