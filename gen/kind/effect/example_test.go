package effect_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/kind/effect"
)

// The names of what is generated follow from the model alone.
func ExampleEffect() {
	e := effect.Effect{Type: "LedgerEntry", Table: "ledger", Item: "line"}
	fmt.Println(e.RecordName(), e.KeyColumns())
	// Output: RecordLedgerEntry [run_id node line]
}
