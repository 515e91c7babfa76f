package claim_test

import (
	"context"
	"fmt"

	"github.com/idem-go/idem/runtime/internal/claim"
)

// A claim takes as many places as are free, and gives back those that it found no steps for.
func ExampleQueue() {
	q := claim.NewQueue("default", 5, []string{"charge"})
	fmt.Println(q.Take(context.Background(), 3))
	fmt.Println(q.Take(context.Background(), 3))
	q.Put(4)
	fmt.Println(q.Take(context.Background(), 3))
	// Output:
	// 3
	// 2
	// 3
}

// What a claim looks at is planned. The first one begins at the beginning.
func ExampleLoop_Next() {
	q := claim.NewQueue("default", 5, []string{"charge"})
	next := (&claim.Loop{}).Next(context.Background(), q, 5)
	fmt.Println(next.Full, next.Limit)
	q.HandOver(7) // the sweep of this worker has taken a step back
	next = (&claim.Loop{}).Next(context.Background(), q, 5)
	fmt.Println(next.These)
	// Output:
	// true 5
	// [7]
}
