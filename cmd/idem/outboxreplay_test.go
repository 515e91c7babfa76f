package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/outbox"
)

// refusingTx refuses each statement in the name of the table that it is for.
type refusingTx struct{ pgx.Tx }

func (refusingTx) Query(_ context.Context, _ string, args ...any) (pgx.Rows, error) {
	return nil, fmt.Errorf("no rights on %v", args[0].(pgx.NamedArgs)["table"])
}

// TestReplayTakesTablesInOrder: of several tables that refuse the first by name is told, each time.
func TestReplayTakesTablesInOrder(t *testing.T) {
	t.Parallel()
	r := &replay{request: outbox.ReplayRequest{Actor: "kim", Reason: "mended"}}
	var list []outbox.Entry
	for _, table := range []string{"shop.c", "shop.a", "shop.d", "shop.b"} {
		list = append(list, outbox.Entry{Table: table, ID: "cmd_1"})
	}
	for range 30 {
		if _, err := r.carryOut(t.Context(), refusingTx{}, list); err == nil || err.Error() != `no rights on "shop"."a"` {
			t.Fatalf("%v", err)
		}
	}
}
