package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/runtime/outbox"
)

// replay is a wish to send commands again.
type replay struct {
	operator  outboxOperator
	filter    outbox.Filter
	states    []string
	request   outbox.ReplayRequest
	confirmed string // what the first step has shown
}

func outboxReplay() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem outbox replay",
		Args:    "[ID...]",
		Summary: "Let commands be sent again, under the ids that they have.",
		Text: `The commands are those with the ids, or those in the --state. A receiver that still knows an id does
nothing twice; one that has forgotten it, or honours none, does it again. Where receivers forget,
--window leaves commands as they are whose first send is longer ago than that. --past-window sends those
too: find out before that they were not done.

It takes two steps. The first shows the commands, the second repeats the command line with the
--confirm that was shown, and does nothing if one of the commands has changed since.`,
		Flags: cli.NewFlags(),
	}
	var r replay
	r.operator.addFlags(cmd.Flags)
	cmd.Flags.StringSliceVar(&r.states, "state", nil, "those in this `state`: dead, parked, quarantined, rejected or delivered; may be repeated")
	cmd.Flags.StringSliceVar(&r.filter.Tables, "table", nil, "only those in this `table`; may be repeated")
	cmd.Flags.IntVar(&r.filter.Limit, "limit", 100, "at most this `number` of each table, the oldest ones")
	cmd.Flags.DurationVar(&r.request.Window, "window", 0, "the `duration` for which receivers remember an id; 0: for ever")
	cmd.Flags.BoolVar(&r.request.PastWindow, "past-window", false, "also those that receivers may have forgotten")
	cmd.Flags.BoolVar(&r.request.Delivered, "delivered", false, "also those of the ids that are delivered")
	cmd.Flags.StringVar(&r.request.Reason, "reason", "", "why, as a `text` that is stored")
	cmd.Flags.StringVar(&r.request.Actor, "actor", "", "who decides, by `name` (default: $USER)")
	cmd.Flags.StringVar(&r.confirmed, "confirm", "", "the `code` that the first step has shown")
	cmd.Run = func(ctx context.Context, c *cli.Console, ids []string) error {
		if err := r.check(cmd, c, ids); err != nil {
			return err
		}
		return r.operator.on(ctx, c, cmd, func(pool *pgxpool.Pool, _ *outbox.Operator) error { return r.run(ctx, c, cmd, pool) })
	}
	return cmd
}

func (r *replay) check(cmd *cli.Command, c *cli.Console, ids []string) (err error) {
	if r.request.Actor == "" {
		r.request.Actor = c.Env("USER")
	}
	r.filter.IDs = ids
	if len(ids) > 0 {
		r.filter.Limit = max(r.filter.Limit, len(ids))
	}
	if r.filter.States, err = statesNamed(cmd, r.states); err != nil {
		return err
	}
	r.request.Delivered = r.request.Delivered || slices.Contains(r.filter.States, outbox.StateDelivered)
	r.request.Schema = r.operator.schema
	switch {
	case len(ids) == 0 && len(r.states) == 0:
		return cmd.Usagef("which commands? give their ids, as 'idem outbox list' shows them, or a --state")
	case slices.Contains(r.filter.States, outbox.StatePending):
		return cmd.Usagef("pending commands are sent by themselves")
	case r.request.Window < 0 || r.filter.Limit < 1:
		return cmd.Usagef("--window must not be negative, and --limit at least 1")
	case r.confirmed != "" && strings.TrimSpace(r.request.Reason) == "":
		return cmd.Usagef("why? give --reason TEXT; it is stored with the replay")
	case r.confirmed != "" && r.request.Actor == "":
		return cmd.Usagef("who decides? give --actor NAME; it is stored with the replay")
	}
	return nil
}

const replayStale = "the commands have changed since they were shown; look again, without --confirm"

// run takes either step. What the second one looks at is what it changes: both are in one snapshot, and a command that
// somebody else changes meanwhile ends it.
func (r *replay) run(ctx context.Context, c *cli.Console, cmd *cli.Command, pool *pgxpool.Pool) error {
	var replayed map[string][]string
	var list []outbox.Entry
	err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) (err error) {
		if list, err = r.selected(ctx, tx); err != nil || r.confirmed == "" {
			return err
		}
		if r.confirmed != code(list) {
			return cli.Refusef(replayStale)
		}
		replayed, err = r.carryOut(ctx, tx, list)
		return err
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "40001" {
		return cli.Refusef(replayStale)
	}
	if err != nil {
		return err
	}
	if r.confirmed == "" {
		return r.show(c, cmd, list)
	}
	return r.tell(ctx, c, pool, list, replayed)
}

// selected returns the commands that are meant and can be replayed.
func (r *replay) selected(ctx context.Context, tx pgx.Tx) ([]outbox.Entry, error) {
	list, err := outbox.NewOperator(tx, r.operator.schema).List(ctx, r.filter)
	if err != nil {
		return nil, err
	}
	for _, id := range r.filter.IDs {
		if len(r.states) == 0 && !slices.ContainsFunc(list, func(e outbox.Entry) bool { return e.ID == id }) {
			return nil, fmt.Errorf("%w: %s", outbox.ErrNotFound, id)
		}
	}
	return list, nil
}

// code stands for the commands as they are.
func code(list []outbox.Entry) string {
	h := sha256.New()
	for _, e := range list {
		fmt.Fprintf(h, "%q %q %d\n", e.Table, e.ID, e.Epoch)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}

// show is the first step.
func (r *replay) show(c *cli.Console, cmd *cli.Command, list []outbox.Entry) error {
	if err := printCommands(c, list); err != nil {
		return err
	}
	if len(list) == 0 {
		return cli.ErrFindings
	}
	fmt.Fprintf(c.Err, "idem: nothing is done yet. A receiver that has forgotten an id does the command again."+
		" To go on with these %d, repeat the command with --confirm %s\n", len(list), code(list))
	return cli.ErrFindings
}

// carryOut is the second step. It returns the ids that are sent again, by table.
func (r *replay) carryOut(ctx context.Context, tx pgx.Tx, list []outbox.Entry) (map[string][]string, error) {
	ids := map[string][]string{}
	for _, e := range list {
		ids[e.Table] = append(ids[e.Table], e.ID)
	}
	replayed := map[string][]string{}
	for _, table := range slices.Sorted(maps.Keys(ids)) { // in one order: two of them do not wait for each other
		q := r.request
		q.Table, q.IDs = table, ids[table]
		done, err := outbox.Replay(ctx, tx, q)
		if err != nil {
			return nil, err
		}
		replayed[table] = done
	}
	return replayed, nil
}

// tell says what was done, and wakes the relays.
func (r *replay) tell(ctx context.Context, c *cli.Console, pool *pgxpool.Pool, list []outbox.Entry, replayed map[string][]string) error {
	left := 0
	for _, e := range list {
		if slices.Contains(replayed[e.Table], e.ID) {
			fmt.Fprintf(c.Out, "command %s of %s is sent again\n", plain(e.ID), plain(e.Table))
			continue
		}
		left++
		fmt.Fprintf(c.Out, "command %s of %s is left as it is: %s\n", plain(e.ID), plain(e.Table), r.whyLeft(e))
	}
	for _, table := range slices.Sorted(maps.Keys(replayed)) {
		if len(replayed[table]) > 0 {
			// Without it the relays find the commands a little later.
			_ = outbox.Notify(ctx, pool, r.operator.schema, pgx.Identifier(strings.SplitN(table, ".", 2)).Sanitize())
		}
	}
	if left > 0 {
		return cli.ErrFindings
	}
	return nil
}

func (r *replay) whyLeft(e outbox.Entry) string {
	switch {
	case e.State == outbox.StatePending:
		return "it is pending, and sent by itself"
	case e.State == outbox.StateDelivered && !r.request.Delivered:
		return "it is delivered; --delivered sends it again all the same"
	}
	return fmt.Sprintf("it was first sent %s, longer ago than receivers remember it (%v)", stampOr(e.FirstAttemptAt, "never"), r.request.Window.Round(time.Second))
}
