package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/idem-go/idem/cmd/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

// run is the command without its process: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) string) int {
	c := &cli.Console{Out: stdout, Err: stderr, Env: env}
	return c.Report(ctx, cli.Dispatch(ctx, c, root(), args))
}

// root is the table of verbs. The help lists them in this order.
func root() *cli.Command {
	return &cli.Command{
		Name:    "idem",
		Summary: "idem makes the effects of retried handlers happen once.",
		Text: `Run 'idem help VERB' for a verb, and 'idem help directives' for the annotations.

Exit status: 0 fine, 1 findings or drift, 2 usage, 3 could not do its work.`,
		Verbs: []*cli.Command{
			generateVerb(),
			vetVerb(),
			initVerb(),
			migrateVerb(),
			outboxVerb(),
			intentsVerb(),
			demoVerb(),
			soakVerb(),
			versionVerb(),
			helpVerb(),
		},
	}
}
