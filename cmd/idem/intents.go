package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

func intentsVerb() *cli.Command {
	return &cli.Command{
		Name:    "idem intents",
		Summary: "Show calls of providers, and decide about those whose outcome is unknown.",
		Text: `An intent is one call of a provider under one key. While its outcome is unknown its step waits.
Past the provider's window, and without a lookup, nothing is sent again by itself: somebody has to
look the key up at the provider, and then confirm or reject it here.

Every decision is stored with --reason and --actor. What can lose or repeat an effect takes two
steps: the first shows the intent, the second repeats the command with the --epoch that was shown,
and does nothing if the intent has changed since.`,
		Verbs: []*cli.Command{intentsList(), intentsShow(), intentsConfirm(), intentsReject(), intentsReconcile(), intentsCompensate()},
	}
}

func intentsList() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem intents list",
		Summary: "List intents whose outcome is not known, oldest first.",
		Flags:   cli.NewFlags(),
	}
	var o operator
	var f provider.Filter
	o.addFlags(cmd.Flags)
	cmd.Flags.BoolVar(&f.All, "all", false, "list those whose outcome is known as well")
	state := cmd.Flags.String("state", "", "only those in this `state`")
	cmd.Flags.StringVar(&f.Provider, "provider", "", "only those of this provider, by `name`")
	cmd.Flags.StringVar(&f.RunID, "run", "", "only those of the run with this `ID`")
	cmd.Flags.IntVar(&f.Limit, "limit", 100, "at most this `number`")
	cmd.Run = func(ctx context.Context, c *cli.Console, args []string) error {
		if err := cmd.AtMost(0, args); err != nil {
			return err
		}
		f.State = provider.State(*state)
		return o.on(ctx, c, cmd, func(op *provider.Operator) error {
			list, err := op.List(ctx, f)
			if err != nil {
				return err
			}
			return printIntents(c, list)
		})
	}
	return cmd
}

func intentsShow() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem intents show",
		Args:    "KEY",
		Summary: "Show one intent and its history.",
		Flags:   cli.NewFlags(),
	}
	var o operator
	o.addFlags(cmd.Flags)
	payloads := cmd.Flags.Bool("payloads", false, "show the request and the receipt, which may hold personal data")
	cmd.Run = func(ctx context.Context, c *cli.Console, args []string) error {
		key, err := oneKey(cmd, args)
		if err != nil {
			return err
		}
		return o.on(ctx, c, cmd, func(op *provider.Operator) error {
			in, events, err := op.Show(ctx, key)
			if err != nil {
				return err
			}
			return printIntent(c, in, events, *payloads)
		})
	}
	return cmd
}

func intentsConfirm() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem intents confirm",
		Args:    "KEY",
		Summary: "Say that a call of unknown outcome was done.",
		Text: `Its step goes on with the receipt that you give: the JSON of the provider function's receipt.
If the call was not done, it never will be.`,
		Flags: cli.NewFlags(),
	}
	receipt := cmd.Flags.String("receipt", "", "what the provider would have answered, as `JSON`")
	decision(cmd, true, func(ctx context.Context, op *provider.Operator, d provider.Decision) (provider.Result, error) {
		if !json.Valid([]byte(*receipt)) {
			return provider.Result{}, cmd.Usagef("--receipt is no JSON; give what the provider would have answered, or null if the step does not need it")
		}
		return op.Confirm(ctx, d, json.RawMessage(*receipt))
	})
	return cmd
}

func intentsReject() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem intents reject",
		Args:    "KEY",
		Summary: "Say that a call of unknown outcome was definitely not done, and will not be.",
		Text: `Its step is discarded, unless its handler makes a new try. If the call was done after all, that
new try repeats it.`,
		Flags: cli.NewFlags(),
	}
	decision(cmd, true, func(ctx context.Context, op *provider.Operator, d provider.Decision) (provider.Result, error) {
		return op.Reject(ctx, d)
	})
	return cmd
}

func intentsReconcile() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem intents reconcile",
		Args:    "KEY",
		Summary: "Let the step find out about a call now, and not when its pause is over.",
		Text: `The step looks the key up at the provider, or sends it again while the provider is sure to
remember it, as it would by itself later. It is woken at once. A quarantine is lifted.`,
		Flags: cli.NewFlags(),
	}
	decision(cmd, false, func(ctx context.Context, op *provider.Operator, d provider.Decision) (provider.Result, error) {
		return op.Reconcile(ctx, d)
	})
	return cmd
}

func intentsCompensate() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem intents compensate",
		Args:    "KEY",
		Summary: "Take a call back that was done, by the provider's undo.",
		Text: `This enqueues a step which a worker runs that has registered the undo. Asking twice gives the
same step.`,
		Flags: cli.NewFlags(),
	}
	decision(cmd, true, func(ctx context.Context, op *provider.Operator, d provider.Decision) (provider.Result, error) {
		return op.Compensate(ctx, d)
	})
	return cmd
}

func oneKey(cmd *cli.Command, args []string) (string, error) {
	if len(args) == 0 {
		return "", cmd.Usagef("which intent? give its key, as 'idem intents list' shows it")
	}
	return args[0], cmd.AtMost(1, args)
}

// decision makes cmd a command that carries out what a person decided. One that takes two steps only shows the intent
// until it is given the epoch of what was shown.
func decision(cmd *cli.Command, twoSteps bool, decide func(context.Context, *provider.Operator, provider.Decision) (provider.Result, error)) {
	var o operator
	var d provider.Decision
	o.addFlags(cmd.Flags)
	cmd.Flags.StringVar(&d.Reason, "reason", "", "why, as a `text` that is stored")
	cmd.Flags.StringVar(&d.Actor, "actor", "", "who decides, by `name` (default: $USER)")
	if twoSteps {
		cmd.Flags.Int64Var(&d.Epoch, "epoch", 0, "the `epoch` of the intent as it was shown")
	}
	cmd.Run = func(ctx context.Context, c *cli.Console, args []string) (err error) {
		if d.Key, err = oneKey(cmd, args); err != nil {
			return err
		}
		if d.Actor == "" {
			d.Actor = c.Env("USER")
		}
		switch shown := !twoSteps || d.Epoch != 0; {
		case shown && strings.TrimSpace(d.Reason) == "":
			return cmd.Usagef("why? give --reason TEXT; it is stored with the decision")
		case shown && d.Actor == "":
			return cmd.Usagef("who decides? give --actor NAME; it is stored with the decision")
		}
		return o.on(ctx, c, cmd, func(op *provider.Operator) error {
			return decideOn(cmd, ctx, c, op, d, twoSteps, decide)
		})
	}
}

func decideOn(cmd *cli.Command, ctx context.Context, c *cli.Console, op *provider.Operator, d provider.Decision, twoSteps bool,
	decide func(context.Context, *provider.Operator, provider.Decision) (provider.Result, error)) error {
	if d.Epoch == 0 {
		in, events, err := op.Show(ctx, d.Key)
		if err != nil {
			return err
		}
		if twoSteps {
			if err := printIntent(c, in, events, false); err != nil {
				return err
			}
			fmt.Fprintf(c.Err, "idem: nothing is done yet. %s To go on, repeat the command with --epoch %d\n", strings.ReplaceAll(cmd.Text, "\n", " "), in.Epoch)
			return cli.ErrFindings
		}
		d.Epoch = in.Epoch
	}
	res, err := decide(ctx, op, d)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "intent %s is %s at epoch %d\n%s\n", res.Intent.Key, res.Intent.State, res.Intent.Epoch, stepLine(res))
	return nil
}

// stepLine says what becomes of the step.
func stepLine(res provider.Result) string {
	switch s := res.Step; {
	case s == nil:
		return "its step is gone"
	case res.Woken:
		return fmt.Sprintf("step %s of run %s runs now", s.Node, s.RunID)
	case s.State == runtime.StateDiscarded:
		return fmt.Sprintf("step %s of run %s is discarded (%s): it does not run by itself", s.Node, s.RunID, s.Reason)
	default:
		return fmt.Sprintf("step %s of run %s is %s", s.Node, s.RunID, s.State)
	}
}

// operator is the flags that say where the intents are.
type operator struct{ database }

// on lets work use an operator on the database.
func (o *operator) on(ctx context.Context, c *cli.Console, cmd *cli.Command, work func(*provider.Operator) error) error {
	pool, err := o.open(ctx, c, cmd)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := o.verify(ctx, pool); err != nil {
		return err
	}
	err = work(provider.NewOperator(pool, provider.WithSchema(o.schema)))
	if state, ok := errors.AsType[*provider.StateError](err); ok {
		return cli.Refusef("%s", strings.TrimPrefix(state.Error(), "idem: "))
	}
	if errors.Is(err, provider.ErrNotFound) || errors.Is(err, provider.ErrNoUndo) {
		return cli.Refusef("%s", strings.TrimPrefix(err.Error(), "idem: "))
	}
	return err
}

func (o *operator) verify(ctx context.Context, pool *pgxpool.Pool) error {
	err := runtime.NewClient(pool, runtime.WithSchema(o.schema)).Verify(ctx)
	if errors.Is(err, runtime.ErrSchemaVersion) {
		return cli.Refusef("%s", strings.TrimPrefix(err.Error(), "idem: "))
	}
	return err
}

func printIntents(c *cli.Console, list []provider.Intent) error {
	if len(list) == 0 {
		fmt.Fprintln(c.Out, "no such intents")
		return nil
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "key\tstate\tprovider\tnode\trun\tcreated\tsent\twindow")
	for _, in := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n",
			plain(in.Key), in.State, plain(in.Provider), plain(in.Node), plain(in.RunID), stamp(&in.CreatedAt), in.Dispatches, windowText(in))
	}
	return w.Flush()
}

func printIntent(c *cli.Console, in provider.Intent, events []provider.Event, payloads bool) error {
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	line("intent", "%s", plain(in.Key))
	line("state", "%s, epoch %d", in.State, in.Epoch)
	line("provider", "%s, generation %d%s", plain(in.Provider), in.Generation, orNothing(", item ", in.Item))
	line("step", "%s of run %s", plain(in.Node), plain(in.RunID))
	if in.Compensates != "" {
		line("compensates", "%s", plain(in.Compensates))
	}
	line("sent", "%s", sentText(in))
	line("window", "%s", windowText(in))
	if in.Quarantined {
		line("quarantined", "the provider knows the key with another payload")
	}
	line("request", "sha256:%x", in.Digest)
	if payloads {
		line("", "%s", plain(string(in.Request)))
		line("receipt", "%s", plain(string(in.Receipt)))
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "epoch\tat\tstate\tactor\treason")
	for _, e := range events {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", e.Epoch, stamp(&e.At), e.To, plain(e.Actor), plain(e.Reason))
	}
	return w.Flush()
}

func sentText(in provider.Intent) string {
	if in.DispatchedAt == nil {
		return "nothing has left"
	}
	return fmt.Sprintf("up to %d times, last %s", in.Dispatches, stamp(in.DispatchedAt))
}

func windowText(in provider.Intent) string {
	switch {
	case in.WindowEndsAt == nil:
		return "none"
	case in.WindowOpen:
		return "until " + stamp(in.WindowEndsAt)
	default:
		return "over since " + stamp(in.WindowEndsAt)
	}
}

func stamp(t *time.Time) string {
	return t.UTC().Format(time.DateTime + "Z")
}

func orNothing(before, text string) string {
	if text == "" {
		return ""
	}
	return before + plain(text)
}

// plain is a text from elsewhere, without what a terminal would act on.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
