package pace_test

import (
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/internal/pace"
)

func ExampleBackoff() {
	for attempt := range 4 {
		fmt.Println(pace.Backoff(time.Second, attempt+1, 5*time.Second))
	}
	// Output:
	// 1s
	// 2s
	// 4s
	// 5s
}
