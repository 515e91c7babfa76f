package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// usage is the command's line.
func (cmd *Command) usage() string {
	line := cmd.Name
	if len(cmd.Verbs) > 0 {
		line += " VERB"
	}
	if len(cmd.Verbs) > 0 || cmd.flagSet().HasFlags() {
		line += " [flags]"
	}
	if cmd.Args != "" {
		line += " " + cmd.Args
	}
	return line
}

// more says where the help is.
func (cmd *Command) more() string {
	return fmt.Sprintf("Run 'idem help%s' for more.", strings.TrimPrefix(cmd.Name, "idem"))
}

// Help writes all that there is to say about the command.
func (cmd *Command) Help(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nusage: %s\n", cmd.Summary, cmd.usage())
	if len(cmd.Verbs) > 0 {
		b.WriteString("\nVerbs:\n")
		for _, v := range cmd.Verbs {
			fmt.Fprintf(&b, "  %-10s %s\n", v.Word(), v.Summary)
		}
	}
	if flags := cmd.flagSet(); flags.HasFlags() {
		b.WriteString("\nFlags:\n")
		flags.VisitAll(func(f *pflag.Flag) { fmt.Fprintf(&b, "  %-28s  %s\n", flagForm(f), flagUsage(f)) })
	}
	if cmd.Text != "" {
		fmt.Fprintf(&b, "\n%s\n", cmd.Text)
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
