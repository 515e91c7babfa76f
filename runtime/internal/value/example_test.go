package value_test

import (
	"fmt"

	"github.com/idem-go/idem/runtime/internal/value"
)

// A text is stored whatever it says: cut between characters, with a mark for what Postgres cannot hold.
func ExampleStorable() {
	fmt.Printf("%q\n", value.Storable("déjà vu", 5))
	fmt.Printf("%q\n", value.Storable("half \xe2\x82 and \x00", 100))
	// Output:
	// "déj"
	// "half � and �"
}

// A key names its run for ever, on every machine.
func ExampleKeyedRunID() {
	fmt.Println(value.KeyedRunID("", "charge", "order-7"))
	// Output: key_o2fkrkcuioxbil5az7dzezc7gytb72v5
}
