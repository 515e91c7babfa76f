package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/gen/schema"
	"github.com/idem-go/idem/migrations"
)

func migrateVerb() *cli.Command {
	return &cli.Command{
		Name:    "idem migrate",
		Summary: "Make the tables of idem's runtime, or take them back.",
		Text: `The database is --database, or else the environment variable DATABASE_URL, which keeps
the password out of the list of processes.

These are the tables of the runtime alone. The tables of your own effects are in the
migrations that 'idem generate' writes; apply those with your own migration tool.`,
		Verbs: []*cli.Command{migrateUp(), migrateDown(), migrateStatus(), migratePrint()},
	}
}

func migrateUp() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem migrate up",
		Summary: "Apply what the database does not have yet.",
		Text:    "It may be run at any time, and by several processes at once.",
		Flags:   cli.NewFlags(),
	}
	var db database
	db.addFlags(cmd.Flags)
	cmd.Run = db.with(cmd, func(ctx context.Context, c *cli.Console, pool *pgxpool.Pool) error {
		changes, err := migrations.Up(ctx, pool, db.schema)
		printChanges(c, "applied", changes)
		if err == nil && len(changes) == 0 {
			fmt.Fprintf(c.Out, "schema %q is up to date: version %d\n", db.schema, migrations.Version)
		}
		return err
	})
	return cmd
}

func migrateDown() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem migrate down",
		Summary: "Take versions back, and with them all runs and their state.",
		Text:    "Every run, finished or not, is lost with the tables, and so is the memory of what has been done.",
		Flags:   cli.NewFlags(),
	}
	var db database
	var yes bool
	db.addFlags(cmd.Flags)
	to := cmd.Flags.Int64("to", 0, "take back every `version` above this one")
	cmd.Flags.BoolVar(&yes, "yes", false, "take back everything")
	cmd.Run = db.with(cmd, func(ctx context.Context, c *cli.Console, pool *pgxpool.Pool) error {
		if chosen := cmd.Flags.Changed("to"); chosen == yes {
			return cmd.Usagef("this drops tables with all that is in them: say how far with --to VERSION, or --yes for everything")
		}
		changes, err := migrations.Down(ctx, pool, db.schema, *to)
		printChanges(c, "took back", changes)
		if err == nil && len(changes) == 0 {
			fmt.Fprintf(c.Out, "schema %q: nothing to take back\n", db.schema)
		}
		return err
	})
	return cmd
}

func migrateStatus() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem migrate status",
		Summary: "List the versions, and which of them the database has.",
		Text:    "The exit status is 1 while a version is pending.",
		Flags:   cli.NewFlags(),
	}
	var db database
	db.addFlags(cmd.Flags)
	cmd.Run = db.with(cmd, func(ctx context.Context, c *cli.Console, pool *pgxpool.Pool) error {
		states, err := migrations.Status(ctx, pool, db.schema)
		if err != nil {
			return err
		}
		return printStates(c, states)
	})
	return cmd
}

func migratePrint() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem migrate print",
		Summary: "Print the SQL, for a migration tool of your own.",
		Text: `The SQL keeps the same record of applied versions as 'idem migrate up', so both can be mixed.
For golang-migrate, print the file NAME.up.sql and, with --down, NAME.down.sql. For goose, both
directions are one file.`,
		Flags: cli.NewFlags(),
	}
	var db database
	var options migrations.PrintOptions
	var format string
	db.addSchema(cmd.Flags)
	cmd.Flags.BoolVar(&options.Down, "down", false, "print what takes the tables back")
	cmd.Flags.StringVar(&format, "format", string(schema.Plain), "`format`: goose, golang-migrate or plain")
	cmd.Flags.Int64Var(&options.Version, "version", 0, "print this `version` alone, not all")
	cmd.Run = func(_ context.Context, c *cli.Console, args []string) error {
		if err := cmd.AtMost(0, args); err != nil {
			return err
		}
		parsed, err := schema.ParseFormat(format)
		if err != nil {
			return cmd.Usagef("--format: %v", err)
		}
		options.Goose = parsed == schema.Goose
		if options.Goose && options.Down {
			return cmd.Usagef("--format goose prints both directions; leave --down out")
		}
		sql, err := migrations.Print(db.schema, options)
		if err != nil {
			return migrateError(cmd, err)
		}
		_, err = fmt.Fprint(c.Out, sql)
		return err
	}
	return cmd
}

// with makes a command that works on the database and takes no arguments.
func (d *database) with(cmd *cli.Command, work func(context.Context, *cli.Console, *pgxpool.Pool) error) func(context.Context, *cli.Console, []string) error {
	return func(ctx context.Context, c *cli.Console, args []string) error {
		if err := cmd.AtMost(0, args); err != nil {
			return err
		}
		pool, err := d.open(ctx, c, cmd)
		if err != nil {
			return err
		}
		defer pool.Close()
		return migrateError(cmd, work(ctx, c, pool))
	}
}

// migrateError tells what was wrong with a flag from what went wrong.
func migrateError(cmd *cli.Command, err error) error {
	if e, ok := errors.AsType[*migrations.SchemaError](err); ok {
		return cmd.Usagef("--schema: %v", e)
	}
	if e, ok := errors.AsType[*migrations.VersionError](err); ok {
		return cmd.Usagef("%v", e)
	}
	return err
}

func printChanges(c *cli.Console, verb string, changes []migrations.Change) {
	for _, change := range changes {
		fmt.Fprintf(c.Out, "%s %d %s (%s)\n", verb, change.Version, change.Name, change.Duration.Round(time.Millisecond))
	}
}

func printStates(c *cli.Console, states []migrations.State) error {
	var err error
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "version\tname\tapplied")
	for _, s := range states {
		name, applied := s.Name, s.AppliedAt.UTC().Format(time.DateTime+"Z")
		if name == "" {
			name = "(of a later release)"
		}
		if s.AppliedAt.IsZero() {
			applied, err = "pending", cli.ErrFindings
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", s.Version, name, applied)
	}
	return errors.Join(err, w.Flush())
}
