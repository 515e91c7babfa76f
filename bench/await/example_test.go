package await_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/idem-go/idem/bench/await"
)

// Work in the background counts what it has done; who waits for all of it does not wait in vain when it ends early.
func Example() {
	done := await.NewTally(3)
	working, stop := await.Background(context.Background(), func(context.Context) error {
		done.Add()
		return errors.New("the connection is lost")
	})
	fmt.Println(done.Wait(working))
	fmt.Println(stop())
	// Output:
	// 1 of 3 were done: the worker has ended
	// the connection is lost
	// the connection is lost
}
