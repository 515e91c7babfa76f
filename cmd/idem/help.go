package main

import (
	"context"
	"io"
	"strings"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/registry"
)

func helpVerb() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem help",
		Args:    "[VERB | directives [DIRECTIVE...]]",
		Summary: "Explain a verb, or the annotations.",
	}
	cmd.Run = func(_ context.Context, c *cli.Console, args []string) error {
		if len(args) > 0 && args[0] == "directives" {
			return helpDirectives(cmd, c.Out, args[1:])
		}
		about, err := root().Resolve(args)
		if err != nil {
			return err
		}
		return about.Help(c.Out)
	}
	return cmd
}

// helpDirectives explains the directives named, or all.
func helpDirectives(cmd *cli.Command, w io.Writer, names []string) error {
	all := registry.Kinds.Directives()
	if len(names) == 0 {
		return all.Help(w)
	}
	named := make(directive.Registry, len(names))
	for i, name := range names {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "//"), "idem:")
		if named[i] = all.Lookup(name); named[i] == nil {
			return cmd.Usagef("unknown directive %q%s", name, cli.DidYouMean(name, all.Names()))
		}
	}
	return named.Help(w)
}
