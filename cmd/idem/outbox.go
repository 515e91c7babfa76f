package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/runtime/outbox"
)

func outboxVerb() *cli.Command {
	return &cli.Command{
		Name:    "idem outbox",
		Summary: "Show commands that leave the database, and let those be sent again that were given up.",
		Text: `The outboxes are found by their columns, whatever their names. What is to be sent, and to whom, is
shown only when asked for: either may hold secrets.

A command waits for somebody when it is dead (given up, its outcome unknown), rejected (refused by the
receiver), quarantined (the receiver knows its id with another payload) or parked (it cannot be sent as
things are set up).`,
		Verbs: []*cli.Command{outboxStatus(), outboxList(), outboxShow(), outboxReplay()},
	}
}

func outboxStatus() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem outbox status",
		Args:    "[TABLE...]",
		Summary: "Count the commands by state, and tell how long the oldest one has been waiting.",
		Flags:   cli.NewFlags(),
	}
	var o outboxOperator
	o.addFlags(cmd.Flags)
	cmd.Run = func(ctx context.Context, c *cli.Console, args []string) error {
		return o.on(ctx, c, cmd, func(_ *pgxpool.Pool, op *outbox.Operator) error {
			all, err := op.Status(ctx, args...)
			if err != nil {
				return err
			}
			return printOutboxes(c, all)
		})
	}
	return cmd
}

func outboxList() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem outbox list",
		Summary: "List commands that wait for somebody, oldest first.",
		Flags:   cli.NewFlags(),
	}
	var o outboxOperator
	var f outbox.Filter
	o.addFlags(cmd.Flags)
	cmd.Flags.BoolVar(&f.All, "all", false, "list those in every state")
	states := cmd.Flags.StringSlice("state", nil, "only those in this `state`; may be repeated")
	cmd.Flags.StringSliceVar(&f.Tables, "table", nil, "only those in this `table`; may be repeated")
	cmd.Flags.IntVar(&f.Limit, "limit", 100, "at most this `number` of each table")
	cmd.Run = func(ctx context.Context, c *cli.Console, args []string) (err error) {
		if err := cmd.AtMost(0, args); err != nil {
			return err
		}
		if f.States, err = statesNamed(cmd, *states); err != nil {
			return err
		}
		return o.on(ctx, c, cmd, func(_ *pgxpool.Pool, op *outbox.Operator) error {
			list, err := op.List(ctx, f)
			if err != nil {
				return err
			}
			return printCommands(c, list)
		})
	}
	return cmd
}

// outboxStates are what a command can be.
var outboxStates = []outbox.State{
	outbox.StatePending, outbox.StateDelivered, outbox.StateRejected, outbox.StateDead, outbox.StateQuarantined, outbox.StateParked,
}

func statesNamed(cmd *cli.Command, names []string) (states []outbox.State, err error) {
	for _, name := range names {
		state := outbox.State(name)
		if !slices.Contains(outboxStates, state) {
			return nil, cmd.Usagef("no command is %q; the states are %s", name, joined(outboxStates))
		}
		states = append(states, state)
	}
	return states, nil
}

func joined(states []outbox.State) string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

func outboxShow() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem outbox show",
		Args:    "ID",
		Summary: "Show one command, and what people did to it.",
		Flags:   cli.NewFlags(),
	}
	var o outboxOperator
	o.addFlags(cmd.Flags)
	payloads := cmd.Flags.Bool("payloads", false, "show what is sent, to whom, and the receipt, which may hold personal data and secrets")
	cmd.Run = func(ctx context.Context, c *cli.Console, args []string) error {
		if len(args) == 0 {
			return cmd.Usagef("which command? give its id, as 'idem outbox list' shows it")
		}
		if err := cmd.AtMost(1, args); err != nil {
			return err
		}
		return o.on(ctx, c, cmd, func(_ *pgxpool.Pool, op *outbox.Operator) error {
			e, history, err := op.Show(ctx, args[0])
			if err != nil {
				return err
			}
			var p *outbox.Payload
			if *payloads {
				payload, err := op.Payload(ctx, e)
				if err != nil {
					return err
				}
				p = &payload
			}
			return printCommand(c, e, history, p)
		})
	}
	return cmd
}

// outboxOperator is the flags that say where the outboxes are.
type outboxOperator struct{ operator }

// on lets work use an operator on the database.
func (o *outboxOperator) on(ctx context.Context, c *cli.Console, cmd *cli.Command, work func(*pgxpool.Pool, *outbox.Operator) error) error {
	pool, err := o.open(ctx, c, cmd)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := o.verify(ctx, pool); err != nil {
		return err
	}
	err = work(pool, outbox.NewOperator(pool, o.schema))
	if errors.Is(err, outbox.ErrNotFound) || errors.Is(err, outbox.ErrNoOutbox) {
		return cli.Refusef("%s", strings.TrimPrefix(err.Error(), "idem: "))
	}
	return err
}

func printOutboxes(c *cli.Console, all []outbox.Status) error {
	if len(all) == 0 {
		fmt.Fprintln(c.Out, "this database has no outbox")
		return nil
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "outbox\tpending\tdue\tin hand\toldest\tdelivered\trejected\tdead\tquarantined\tparked")
	for _, s := range all {
		oldest := "-"
		if s.Counts[outbox.StatePending] > 0 {
			oldest = s.Oldest.Truncate(time.Second).String()
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s", plain(s.Table), s.Counts[outbox.StatePending], s.Due, s.Held, oldest)
		for _, state := range outboxStates[1:] {
			fmt.Fprintf(w, "\t%d", s.Counts[state])
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

func printCommands(c *cli.Console, list []outbox.Entry) error {
	if len(list) == 0 {
		fmt.Fprintln(c.Out, "no such commands")
		return nil
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "command\toutbox\tstate\tnode\trun\tqueued\tfirst sent\tattempts\tlast error")
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", plain(e.ID), plain(e.Table), e.State, plain(e.Node), plain(e.RunID),
			stamp(&e.CreatedAt), stampOr(e.FirstAttemptAt, "never"), e.Attempts, plain(shortened(e.LastError)))
	}
	return w.Flush()
}

func printCommand(c *cli.Console, e outbox.Entry, history []outbox.Happening, p *outbox.Payload) error {
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	line("command", "%s", plain(e.ID))
	line("outbox", "%s", plain(e.Table))
	line("state", "%s%s, epoch %d", e.State, map[bool]string{true: ", in the hands of a relay"}[e.Held], e.Epoch)
	line("step", "%s", stepOf(e))
	line("queued", "%s", stamp(&e.CreatedAt))
	line("sent", "%d times, first %s", e.Attempts, stampOr(e.FirstAttemptAt, "never"))
	if e.State == outbox.StatePending {
		line("next", "%s", stamp(&e.NextAttemptAt))
	} else {
		line("ended", "%s", stampOr(e.FinishedAt, "never"))
	}
	line("payload", "sha256:%x", e.Digest)
	if e.ReceiptDigest != nil {
		line("receipt", "sha256:%x", e.ReceiptDigest)
	}
	if e.LastError != "" {
		line("last error", "%s", plain(e.LastError))
	}
	if p != nil {
		line("columns", "%s", plain(string(p.Columns)))
		line("answer", "%s", plain(string(p.Receipt)))
	}
	if len(history) > 0 {
		fmt.Fprintln(w)
		fmt.Fprintln(w, "at\twhat\tactor\treason\tbefore")
		for _, h := range history {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\n", stamp(&h.At), plain(h.Event), plain(h.Actor), plain(h.Reason), h.StateBefore, orNothing(": ", h.ErrorBefore))
		}
	}
	return w.Flush()
}

func stepOf(e outbox.Entry) string {
	if e.Node == "" {
		return "none; queued under the key " + plain(e.RunID)
	}
	return fmt.Sprintf("%s of run %s", plain(e.Node), plain(e.RunID))
}

func stampOr(t *time.Time, otherwise string) string {
	if t == nil {
		return otherwise
	}
	return stamp(t)
}

// shortened cuts a text to what a line of a list takes.
func shortened(text string) string {
	const limit = 60
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}
