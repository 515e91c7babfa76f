package commands_test

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
	"github.com/idem-go/idem/runtime"
)

// A step that is enqueued again under its key is the same step.
func Example() {
	enqueue := func(ctx context.Context, pool *pgxpool.Pool, n int64) error {
		in := commands.Input{N: n, Receiver: "http://127.0.0.1:8080"}
		_, err := commands.AnnounceAction.Enqueue(ctx, runtime.NewClient(pool), in, commands.Key(in)...)
		return err
	}
	_ = enqueue
	fmt.Println("a step queues", commands.PerStep, "commands; the last one of step 7 is", commands.Who(7, commands.PerStep-1))
	// Output: a step queues 5 commands; the last one of step 7 is 7-4
}
