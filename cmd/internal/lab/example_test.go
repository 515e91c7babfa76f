package lab_test

import (
	"context"
	"fmt"
	"os"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/cmd/internal/lab"
)

// What the command was asked for comes to the program as it was.
func ExampleArgs() {
	demo := lab.Demo(func(_ context.Context, c *cli.Console, cmd *cli.Command, o lab.DemoOptions) error {
		_, err := fmt.Fprintln(c.Out, o.Runs, o.Kills, lab.Args(cmd))
		return err
	})
	ctx := context.Background()
	c := &cli.Console{Out: os.Stdout, Err: os.Stdout, Env: os.Getenv}
	c.Report(ctx, cli.Dispatch(ctx, c, demo, []string{"--runs", "50"}))
	// Output: 50 25 [demo --runs=50]
}
