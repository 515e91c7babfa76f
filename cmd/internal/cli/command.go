package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/idem-go/idem/gen/diag"
)

// Command is a verb, or a verb of a verb. It has either verbs or something to run.
type Command struct {
	Name    string         // all of it: "idem migrate up"
	Args    string         // what the usage line shows behind the flags: "[packages]"
	Summary string         // a line
	Text    string         // the rest of the help
	Flags   *pflag.FlagSet // nil without flags
	Verbs   []*Command
	Run     func(ctx context.Context, c *Console, args []string) error
}

// Word is the last word of the name, the one that selects the command.
func (cmd *Command) Word() string { return cmd.Name[strings.LastIndexByte(cmd.Name, ' ')+1:] }

// find returns the command's verb of that name, or nil.
func (cmd *Command) find(word string) *Command {
	for _, v := range cmd.Verbs {
		if v.Word() == word {
			return v
		}
	}
	return nil
}

// Resolve follows words down the tree as far as they name verbs.
func (cmd *Command) Resolve(words []string) (*Command, error) {
	for len(words) > 0 && len(cmd.Verbs) > 0 {
		next := cmd.find(words[0])
		if next == nil {
			return nil, cmd.unknownVerb(words[0])
		}
		cmd, words = next, words[1:]
	}
	if len(words) > 0 {
		return nil, cmd.Usagef("unexpected argument %q", words[0])
	}
	return cmd, nil
}

func (cmd *Command) unknownVerb(word string) error {
	words := make([]string, len(cmd.Verbs))
	for i, v := range cmd.Verbs {
		words[i] = v.Word()
	}
	message := fmt.Sprintf("unknown verb %q", word)
	if strings.HasPrefix(word, "-") {
		message = fmt.Sprintf("%s stands where a verb is expected; flags follow the verb", word)
	}
	return cmd.Usagef("%s%s", message, DidYouMean(word, words))
}

// Dispatch runs the command that the arguments name.
func Dispatch(ctx context.Context, c *Console, cmd *Command, args []string) error {
	if len(cmd.Verbs) == 0 {
		return cmd.call(ctx, c, args)
	}
	if len(args) == 0 {
		return cmd.Usagef("which verb?")
	}
	switch args[0] {
	case "-h", "--help":
		return cmd.Help(c.Out)
	case "--version":
		args = []string{"version"}
	}
	verb := cmd.find(args[0])
	if verb == nil {
		return cmd.unknownVerb(args[0])
	}
	return Dispatch(ctx, c, verb, args[1:])
}

// call parses the flags and runs the command.
func (cmd *Command) call(ctx context.Context, c *Console, args []string) error {
	flags := cmd.flagSet()
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		return cmd.Help(c.Out)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return cmd.Usagef("%v%s", unknown, suggestFlag(flags, unknown.GetSpecifiedName()))
	}
	if err != nil {
		return cmd.Usagef("%v", err)
	}
	return cmd.Run(ctx, c, flags.Args())
}

func (cmd *Command) flagSet() *pflag.FlagSet {
	if cmd.Flags == nil {
		cmd.Flags = NewFlags()
	}
	return cmd.Flags
}

// NewFlags makes a set whose errors come back to the caller, in the order in which flags are added.
func NewFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.SortFlags = false
	return flags
}

func suggestFlag(flags *pflag.FlagSet, name string) string {
	var known []string
	flags.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	best := diag.Suggest(name, known)
	if best == "" {
		return ""
	}
	return "; " + diag.DidYouMean("--"+best)
}

// DidYouMean returns the end of a message about a word that is none of the known ones: "; did you mean init?", or "".
func DidYouMean(word string, known []string) string {
	best := diag.Suggest(word, known)
	if best == "" {
		return ""
	}
	return "; " + diag.DidYouMean(best)
}

// AtMost refuses more arguments than the command takes.
func (cmd *Command) AtMost(n int, args []string) error {
	if len(args) > n {
		return cmd.Usagef("unexpected argument %q", args[n])
	}
	return nil
}
