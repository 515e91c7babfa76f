package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// bareVerb is the argument that makes this program do the bare load.
const bareVerb = "bare-load"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := dispatch(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "generator:", err)
		os.Exit(1)
	}
}

func dispatch(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 && args[0] == bareVerb {
		return bareLoad(ctx, args[1:])
	}
	return run(ctx, args, out)
}

// run measures, and prints the table.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("generator", flag.ContinueOnError)
	rounds := flags.Int("rounds", 15, "how often each program runs")
	s := size{packages: 20, handlers: 10}
	flags.IntVar(&s.packages, "packages", s.packages, "how many packages bear directives")
	flags.IntVar(&s.handlers, "handlers", s.handlers, "how many handlers, and effects, each of them has")
	peers := flags.Bool("peers", true, "measure stringer and moq as well")
	keep := flags.String("keep", "", "make the input in `DIR`, and leave it there")
	root := flags.String("idem", "", "measure the idem whose module lies in `DIR`; by default, that of this checkout")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := folder(*keep)
	if err != nil {
		return err
	}
	if *keep == "" {
		defer os.RemoveAll(dir)
	}
	b, err := newBench(ctx, dir, *root, s, *peers)
	if err != nil {
		return err
	}
	for round := range *rounds {
		if err := b.round(ctx, round); err != nil {
			return err
		}
	}
	return b.report(out, *rounds)
}

// folder is where the input is made: the one that was asked for, or a temporary one.
func folder(keep string) (string, error) {
	if keep == "" {
		return os.MkdirTemp("", "idem-generator-")
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return "", err
	}
	return filepath.Abs(keep)
}
