package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

// run is the command without its process: it gives the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) string) int {
	c := &console{out: stdout, err: stderr, env: env}
	return c.report(ctx, dispatch(ctx, c, root(), args))
}

// root is the table of verbs. The help lists them in this order.
func root() *command {
	return &command{
		name:    "idem",
		summary: "idem makes the effects of retried handlers happen once.",
		text: `Run 'idem help VERB' for a verb, and 'idem help directives' for the annotations.

Exit status: 0 fine, 1 findings or drift, 2 usage, 3 could not do its work.`,
		verbs: []*command{
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
