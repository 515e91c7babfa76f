package lock_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/registry"
)

// The lock is JSON with a fact a line, so that merges touch what has changed.
func ExampleLock_Encode() {
	l := lock.New(registry.Kinds.Lock())
	encoded, err := l.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := lock.Decode(lock.FileName, encoded, registry.Kinds.Lock())
	fmt.Println(again.Migrations.Dir, err)
	// Output: migrations <nil>
}
