package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/registry"
)

func helpVerb() *command {
	cmd := &command{
		name:    "idem help",
		args:    "[VERB | directives [DIRECTIVE...]]",
		summary: "Explain a verb, or the annotations.",
	}
	cmd.run = func(_ context.Context, c *console, args []string) error {
		if len(args) > 0 && args[0] == "directives" {
			return helpDirectives(cmd, c.out, args[1:])
		}
		about, err := root().resolve(args)
		if err != nil {
			return err
		}
		return about.help(c.out)
	}
	return cmd
}

// helpDirectives explains the directives named, or all.
func helpDirectives(cmd *command, w io.Writer, names []string) error {
	all := registry.Kinds.Directives()
	if len(names) == 0 {
		return all.Help(w)
	}
	named := make(directive.Registry, len(names))
	for i, name := range names {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "//"), "idem:")
		if named[i] = all.Lookup(name); named[i] == nil {
			return usagef(cmd, "unknown directive %q%s", name, hint(diag.DidYouMean(diag.Suggest(name, all.Names()))))
		}
	}
	return named.Help(w)
}

// usage is the command's line.
func (cmd *command) usage() string {
	line := cmd.name
	if len(cmd.verbs) > 0 {
		line += " VERB"
	}
	if len(cmd.verbs) > 0 || cmd.flagSet().HasFlags() {
		line += " [flags]"
	}
	if cmd.args != "" {
		line += " " + cmd.args
	}
	return line
}

// more says where the help is.
func (cmd *command) more() string {
	return fmt.Sprintf("Run 'idem help%s' for more.", strings.TrimPrefix(cmd.name, "idem"))
}

// help writes all that there is to say about the command.
func (cmd *command) help(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nusage: %s\n", cmd.summary, cmd.usage())
	if len(cmd.verbs) > 0 {
		b.WriteString("\nVerbs:\n")
		for _, v := range cmd.verbs {
			fmt.Fprintf(&b, "  %-10s %s\n", v.word(), v.summary)
		}
	}
	if flags := cmd.flagSet(); flags.HasFlags() {
		b.WriteString("\nFlags:\n")
		flags.VisitAll(func(f *pflag.Flag) { fmt.Fprintf(&b, "  %-28s  %s\n", flagForm(f), flagUsage(f)) })
	}
	if cmd.text != "" {
		fmt.Fprintf(&b, "\n%s\n", cmd.text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// flagForm is the flag as it is written: "-v, --verbose", "--migrations DIR".
func flagForm(f *pflag.Flag) string {
	form := "--" + f.Name
	if f.Shorthand != "" {
		form = "-" + f.Shorthand + ", " + form
	}
	if value, _ := pflag.UnquoteUsage(f); f.Value.Type() != "bool" {
		form += " " + strings.ToUpper(value)
	}
	return form
}

// flagUsage says what the flag does, and what holds without it.
func flagUsage(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "0", "false", "[]":
		return usage
	}
	return fmt.Sprintf("%s (default: %s)", usage, f.DefValue)
}
