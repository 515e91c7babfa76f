package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/gen/schema"
	"github.com/idem-go/idem/migrations"
)

func migrateVerb() *command {
	return &command{
		name:    "idem migrate",
		summary: "Make the tables of idem's runtime, or take them back.",
		text: `The database is --database, or else the environment variable DATABASE_URL, which keeps
the password out of the list of processes.

These are the tables of the runtime alone. The tables of your own effects are in the
migrations that 'idem generate' writes; apply those with your own migration tool.`,
		verbs: []*command{migrateUp(), migrateDown(), migrateStatus(), migratePrint()},
	}
}

func migrateUp() *command {
	cmd := &command{
		name:    "idem migrate up",
		summary: "Apply what the database does not have yet.",
		text:    "It may be run at any time, and by several processes at once.",
		flags:   newFlags(),
	}
	var db database
	db.addFlags(cmd.flags)
	cmd.run = db.with(cmd, func(ctx context.Context, c *console, pool *pgxpool.Pool) error {
		changes, err := migrations.Up(ctx, pool, db.schema)
		c.printChanges("applied", changes)
		if err == nil && len(changes) == 0 {
			fmt.Fprintf(c.out, "schema %q is up to date: version %d\n", db.schema, migrations.Version)
		}
		return err
	})
	return cmd
}

func migrateDown() *command {
	cmd := &command{
		name:    "idem migrate down",
		summary: "Take versions back, and with them all runs and their state.",
		text:    "Every run, finished or not, is lost with the tables, and so is the memory of what has been done.",
		flags:   newFlags(),
	}
	var db database
	var yes bool
	db.addFlags(cmd.flags)
	to := cmd.flags.Int64("to", 0, "take back every `version` above this one")
	cmd.flags.BoolVar(&yes, "yes", false, "take back everything")
	cmd.run = db.with(cmd, func(ctx context.Context, c *console, pool *pgxpool.Pool) error {
		if chosen := cmd.flags.Changed("to"); chosen == yes {
			return usagef(cmd, "this drops tables with all that is in them: say how far with --to VERSION, or --yes for everything")
		}
		changes, err := migrations.Down(ctx, pool, db.schema, *to)
		c.printChanges("took back", changes)
		if err == nil && len(changes) == 0 {
			fmt.Fprintf(c.out, "schema %q: nothing to take back\n", db.schema)
		}
		return err
	})
	return cmd
}

func migrateStatus() *command {
	cmd := &command{
		name:    "idem migrate status",
		summary: "List the versions, and which of them the database has.",
		text:    "The exit status is 1 while a version is pending.",
		flags:   newFlags(),
	}
	var db database
	db.addFlags(cmd.flags)
	cmd.run = db.with(cmd, func(ctx context.Context, c *console, pool *pgxpool.Pool) error {
		states, err := migrations.Status(ctx, pool, db.schema)
		if err != nil {
			return err
		}
		return c.printStates(states)
	})
	return cmd
}

func migratePrint() *command {
	cmd := &command{
		name:    "idem migrate print",
		summary: "Print the SQL, for a migration tool of your own.",
		text: `The SQL keeps the same record of applied versions as 'idem migrate up', so both can be mixed.
For golang-migrate, print the file NAME.up.sql and, with --down, NAME.down.sql. For goose, both
directions are one file.`,
		flags: newFlags(),
	}
	var db database
	var options migrations.PrintOptions
	var format string
	db.addSchema(cmd.flags)
	cmd.flags.BoolVar(&options.Down, "down", false, "print what takes the tables back")
	cmd.flags.StringVar(&format, "format", string(schema.Plain), "`format`: goose, golang-migrate or plain")
	cmd.flags.Int64Var(&options.Version, "version", 0, "print this `version` alone, not all")
	cmd.run = func(_ context.Context, c *console, args []string) error {
		if err := cmd.atMost(0, args); err != nil {
			return err
		}
		parsed, err := schema.ParseFormat(format)
		if err != nil {
			return usagef(cmd, "--format: %v", err)
		}
		options.Goose = parsed == schema.Goose
		if options.Goose && options.Down {
			return usagef(cmd, "--format goose prints both directions; leave --down out")
		}
		sql, err := migrations.Print(db.schema, options)
		if err != nil {
			return migrateError(cmd, err)
		}
		_, err = fmt.Fprint(c.out, sql)
		return err
	}
	return cmd
}

// with makes a command that works on the database and takes no arguments.
func (d *database) with(cmd *command, work func(context.Context, *console, *pgxpool.Pool) error) func(context.Context, *console, []string) error {
	return func(ctx context.Context, c *console, args []string) error {
		if err := cmd.atMost(0, args); err != nil {
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
func migrateError(cmd *command, err error) error {
	if e, ok := errors.AsType[*migrations.SchemaError](err); ok {
		return usagef(cmd, "--schema: %v", e)
	}
	if e, ok := errors.AsType[*migrations.VersionError](err); ok {
		return usagef(cmd, "%v", e)
	}
	return err
}

func (c *console) printChanges(verb string, changes []migrations.Change) {
	for _, change := range changes {
		fmt.Fprintf(c.out, "%s %d %s (%s)\n", verb, change.Version, change.Name, change.Duration.Round(time.Millisecond))
	}
}

func (c *console) printStates(states []migrations.State) error {
	var err error
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "version\tname\tapplied")
	for _, s := range states {
		name, applied := s.Name, s.AppliedAt.UTC().Format(time.DateTime+"Z")
		if name == "" {
			name = "(of a later release)"
		}
		if s.AppliedAt.IsZero() {
			applied, err = "pending", errFindings
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", s.Version, name, applied)
	}
	return errors.Join(err, w.Flush())
}
