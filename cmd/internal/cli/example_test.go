package cli_test

import (
	"context"
	"fmt"
	"os"

	"github.com/idem-go/idem/cmd/internal/cli"
)

func Example() {
	greet := &cli.Command{Name: "idem greet", Summary: "Say hello.", Flags: cli.NewFlags()}
	name := greet.Flags.String("name", "you", "whom to greet")
	greet.Run = func(_ context.Context, c *cli.Console, args []string) error {
		if err := greet.AtMost(0, args); err != nil {
			return err
		}
		_, err := fmt.Fprintln(c.Out, "hello", *name)
		return err
	}
	root := &cli.Command{Name: "idem", Summary: "An example.", Verbs: []*cli.Command{greet}}

	ctx := context.Background()
	c := &cli.Console{Out: os.Stdout, Err: os.Stdout, Env: os.Getenv}
	c.Report(ctx, cli.Dispatch(ctx, c, root, []string{"greet", "--name", "Ann"}))
	status := c.Report(ctx, cli.Dispatch(ctx, c, root, []string{"great"}))
	fmt.Println("exit status", status)
	// Output:
	// hello Ann
	// idem: unknown verb "great"; did you mean greet?
	// usage: idem VERB [flags]
	// Run 'idem help' for more.
	// exit status 2
}
