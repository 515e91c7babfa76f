package object_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/object"
)

// The parts keep their order, and one without fields leaves nothing behind.
func ExampleJoin() {
	text, err := object.Join(
		struct {
			Version int `json:"version"`
		}{1},
		map[string]any{},
		map[string]any{"nodes": map[string]string{"<charge>": "Charge"}},
	)
	fmt.Println(string(text), err)
	// Output: {"version":1,"nodes":{"<charge>":"Charge"}} <nil>
}
