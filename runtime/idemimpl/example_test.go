package idemimpl_test

import (
	"context"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime/idemimpl"
)

// ledger is what idem generate writes for an annotated struct.
var ledger = idemimpl.Effect{
	Table: `"ledger"`, Columns: []string{"user_id", "amount"}, Guard: "ledger_payload_check",
	InsertSQL: `INSERT INTO "ledger" ("run_id", "node", "payload_digest", "user_id", "amount") VALUES ($1, $2, $3, $4, $5)`,
}

// A row is written by a running handler, through the context that it was given, and by nobody else.
func ExampleEffect_Record() {
	fmt.Println(ledger.Record(context.Background(), "ann", 100))
	// Output: idem: this context is not one of a running handler; pass on the runtime.Context that the handler was given
}

// told prints the id of each command that is written.
type told struct{}

func (told) Exec(_ context.Context, _ string, args ...any) (pgconn.CommandTag, error) {
	fmt.Println(args[3])
	return pgconn.CommandTag{}, nil
}

// The id of a command follows from its table and its key, and not from what it says: the same key is the same command.
func ExampleEffect_WriteCommand() {
	webhooks := idemimpl.Effect{Table: `"webhooks"`, Columns: []string{"id", "url"}, Guard: "webhooks_payload_check", InsertSQL: `INSERT …`}
	for _, key := range []string{"order-7", "order-7", "order-8"} {
		if err := webhooks.WriteCommand(context.Background(), told{}, key, nil, "https://example.com"); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// cmd_aormxv2qu4pf2mylcp332hlih4n3e3vh
	// cmd_aormxv2qu4pf2mylcp332hlih4n3e3vh
	// cmd_riyia55mewdgm27jllmdsqm7nxzx6ayq
}

// Arguments are turned into what a statement takes; a zero value leaves a column to its default.
func ExampleOrDefault() {
	fmt.Println(idemimpl.OrDefault(0), idemimpl.OrDefault(7), idemimpl.OrDefault(url.URL{}))
	// Output: <nil> 7 <nil>
}
