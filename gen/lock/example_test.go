package lock_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/lock"
)

// The lock is JSON with a fact a line, so that merges touch what has changed.
func ExampleLock_Encode() {
	l := lock.New()
	encoded, err := l.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := lock.Decode(lock.FileName, encoded)
	fmt.Println(again.Migrations.Dir, err)
	// Output: migrations <nil>
}
