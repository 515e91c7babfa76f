package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/idem-go/idem/gen/diag"
)

// command is a verb, or a verb of a verb. It has either verbs or run.
type command struct {
	name    string         // all of it: "idem migrate up"
	args    string         // what the usage line shows behind the flags: "[packages]"
	summary string         // a line
	text    string         // the rest of the help
	flags   *pflag.FlagSet // nil without flags
	verbs   []*command
	run     func(ctx context.Context, c *console, args []string) error
}

// word is the last word of the name, the one that selects the command.
func (cmd *command) word() string { return cmd.name[strings.LastIndexByte(cmd.name, ' ')+1:] }

// find gives the command's verb of that name, or nil.
func (cmd *command) find(word string) *command {
	for _, v := range cmd.verbs {
		if v.word() == word {
			return v
		}
	}
	return nil
}

// resolve follows words down the tree as far as they name verbs.
func (cmd *command) resolve(words []string) (*command, error) {
	for len(words) > 0 && len(cmd.verbs) > 0 {
		next := cmd.find(words[0])
		if next == nil {
			return nil, cmd.unknownVerb(words[0])
		}
		cmd, words = next, words[1:]
	}
	if len(words) > 0 {
		return nil, usagef(cmd, "unexpected argument %q", words[0])
	}
	return cmd, nil
}

func (cmd *command) unknownVerb(word string) error {
	words := make([]string, len(cmd.verbs))
	for i, v := range cmd.verbs {
		words[i] = v.word()
	}
	message := fmt.Sprintf("unknown verb %q", word)
	if strings.HasPrefix(word, "-") {
		message = fmt.Sprintf("%s stands where a verb is expected; flags follow the verb", word)
	}
	return usagef(cmd, "%s%s", message, hint(diag.DidYouMean(diag.Suggest(word, words))))
}

// dispatch runs the command that the arguments name.
func dispatch(ctx context.Context, c *console, cmd *command, args []string) error {
	if len(cmd.verbs) == 0 {
		return cmd.call(ctx, c, args)
	}
	if len(args) == 0 {
		return usagef(cmd, "which verb?")
	}
	switch args[0] {
	case "-h", "--help":
		return cmd.help(c.out)
	case "--version":
		args = []string{"version"}
	}
	verb := cmd.find(args[0])
	if verb == nil {
		return cmd.unknownVerb(args[0])
	}
	return dispatch(ctx, c, verb, args[1:])
}

// call parses the flags and runs the command.
func (cmd *command) call(ctx context.Context, c *console, args []string) error {
	flags := cmd.flagSet()
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		return cmd.help(c.out)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return usagef(cmd, "%v%s", unknown, hint(diag.DidYouMean(suggestFlag(flags, unknown.GetSpecifiedName()))))
	}
	if err != nil {
		return usagef(cmd, "%v", err)
	}
	return cmd.run(ctx, c, flags.Args())
}

func (cmd *command) flagSet() *pflag.FlagSet {
	if cmd.flags == nil {
		cmd.flags = newFlags()
	}
	return cmd.flags
}

// newFlags makes a set whose errors come back to the caller, in the order in which flags are added.
func newFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.SortFlags = false
	return flags
}

func suggestFlag(flags *pflag.FlagSet, name string) string {
	var known []string
	flags.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if best := diag.Suggest(name, known); best != "" {
		return "--" + best
	}
	return ""
}

// hint joins a suggestion to a message.
func hint(suggestion string) string {
	if suggestion == "" {
		return ""
	}
	return "; " + suggestion
}

// atMost refuses more arguments than the command takes.
func (cmd *command) atMost(n int, args []string) error {
	if len(args) > n {
		return usagef(cmd, "unexpected argument %q", args[n])
	}
	return nil
}
