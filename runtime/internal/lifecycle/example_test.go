package lifecycle_test

import (
	"fmt"

	"github.com/idem-go/idem/runtime/internal/lifecycle"
)

func ExampleState_Ended() {
	fmt.Println(lifecycle.StateRunning.Ended(), lifecycle.StateCancelled.Ended())
	// Output: false true
}
