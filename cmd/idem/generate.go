package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/output"
	"github.com/idem-go/idem/gen/scan"
	"github.com/idem-go/idem/gen/schema"
)

// gcPercent lets a run, which is short and holds little, collect its garbage less often: it takes a fifth less
// time, and some twenty megabytes more.
const gcPercent = 400

// generate is the verb with its flags.
type generate struct {
	cmd        *cli.Command
	check      bool
	diff       bool
	json       bool
	verbose    bool
	migrations string
	format     string
	tests      bool
	renames    []string
}

func generateVerb() *cli.Command {
	g := &generate{cmd: &cli.Command{
		Name:    "idem generate",
		Args:    "[packages]",
		Summary: "Write the Go code, its tests and the migrations that the annotations ask for.",
		Text: `Packages are named as for the go command; the default is ./... . Nothing is written unless
everything can be, and only files that differ are. What idem did not write it leaves alone.

Written files are named on standard output. Diagnostics go to standard error, or with --json
as one array to standard output; with --check, stale files are among them.

The settings of migrations and tests are kept in idem.lock, so that they need to be given only once.`,
		Flags: cli.NewFlags(),
	}}
	flags := g.cmd.Flags
	flags.BoolVar(&g.check, "check", false, "write nothing; name the files that are not up to date, and exit 1 if there are any")
	flags.BoolVar(&g.diff, "diff", false, "write nothing; print what would change, and exit 1 if anything would")
	flags.StringVar(&g.migrations, "migrations", "", "write migrations to `DIR` from now on")
	flags.StringVar(&g.format, "migrations-format", "", "write migrations as `FORMAT` from now on: goose, golang-migrate or plain")
	flags.BoolVar(&g.tests, "tests", true, "write tests of the handlers from now on, or --tests=false none")
	flags.StringArrayVar(&g.renames, "rename", nil, "let a node, a provider or a table change its name, as `OLD=NEW`; may be repeated")
	flags.BoolVar(&g.json, "json", false, "print diagnostics as JSON")
	flags.BoolVarP(&g.verbose, "verbose", "v", false, "name also the files that are up to date, and the time taken")
	g.cmd.Run = g.run
	return g.cmd
}

func (g *generate) run(ctx context.Context, c *cli.Console, patterns []string) error {
	options, err := g.options(patterns)
	if err != nil {
		return err
	}
	start := time.Now()
	debug.SetGCPercent(gcPercent)
	result, err := gen.Run(ctx, options)
	if list, ok := errors.AsType[diag.List](err); ok {
		return g.findings(c, list)
	}
	if isUsage(err) {
		return g.cmd.Usagef("%v", err)
	}
	if err != nil {
		return err
	}
	if result.Packages == 0 {
		fmt.Fprintf(c.Err, "idem: no package of %s bears a directive\n", packagesOf(patterns))
	}
	g.printUnseen(c, result.Unseen)
	if g.diff {
		if err := printDiff(c, result.Drift()); err != nil {
			return err
		}
	}
	if g.check || g.diff {
		return g.stale(c, result.Drift(), patterns)
	}
	if err := result.Write(); err != nil {
		return err
	}
	g.printWritten(c, result, time.Since(start))
	return g.findings(c, nil)
}

// isUsage reports whether a run could not begin because of what it was asked: its patterns or its renames.
func isUsage(err error) bool {
	_, pattern := errors.AsType[*scan.PatternError](err)
	_, rename := errors.AsType[*gen.RenameError](err)
	return pattern || rename
}

// options reads the flags.
func (g *generate) options(patterns []string) (gen.Options, error) {
	o := gen.Options{Patterns: patterns, Migrations: g.migrations, MigrationsFormat: g.format, Renames: map[string]string{}}
	if g.cmd.Flags.Changed("tests") {
		o.Tests = &g.tests
	}
	if g.json && g.diff {
		return o, g.cmd.Usagef("--json and --diff both print to standard output; choose one")
	}
	if g.format != "" {
		if _, err := schema.ParseFormat(g.format); err != nil {
			return o, g.cmd.Usagef("--migrations-format: %v", err)
		}
	}
	for _, rename := range g.renames {
		from, to, found := strings.Cut(rename, "=")
		if !found || from == "" || to == "" {
			return o, g.cmd.Usagef("--rename %s: write OLD=NEW", rename)
		}
		if earlier, twice := o.Renames[from]; twice && earlier != to {
			return o, g.cmd.Usagef("--rename: %s becomes %s or %s?", from, earlier, to)
		}
		o.Renames[from] = to
	}
	return o, nil
}

// findings ends the run with diagnostics. As JSON they are an array, also when there are none.
func (g *generate) findings(c *cli.Console, list diag.List) error {
	if g.json {
		if err := cli.ShortPaths(list).WriteJSON(c.Out); err != nil {
			return err
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case g.json:
		return cli.ErrFindings
	}
	return list
}

// stale says which files are not up to date, and what to do about it.
func (g *generate) stale(c *cli.Console, drift []output.File, patterns []string) error {
	fix := "run " + g.again(patterns)
	if g.json {
		var list diag.List
		for _, f := range drift {
			list.Add(diag.Position{File: f.Rel, Line: 1, Column: 1}, "stale-file", fix, "%s", why(f.State))
		}
		return g.findings(c, list)
	}
	if len(drift) == 0 {
		return nil
	}
	for _, f := range drift {
		fmt.Fprintf(c.Err, "%s: %s\n", cli.ShortPath(f.Rel), why(f.State))
	}
	fmt.Fprintf(c.Err, "idem: %s not up to date; %s\n", count(len(drift), "file is", "files are"), fix)
	return cli.ErrFindings
}

func why(state output.State) string {
	switch state {
	case output.Created:
		return "missing: it has not been generated yet"
	case output.Changed:
		return "changed: it is not what the source asks for"
	case output.Orphaned:
		return "orphaned: nothing in the source asks for it any more"
	}
	return string(state)
}

// again is the command that brings the files up to date.
func (g *generate) again(patterns []string) string {
	words := []string{"go tool idem generate"}
	if onPath() {
		words[0] = "idem generate"
	}
	if g.migrations != "" {
		words = append(words, "--migrations", g.migrations)
	}
	if g.format != "" {
		words = append(words, "--migrations-format", g.format)
	}
	if g.cmd.Flags.Changed("tests") {
		words = append(words, fmt.Sprintf("--tests=%t", g.tests))
	}
	for _, rename := range g.renames {
		words = append(words, "--rename", rename)
	}
	return strings.Join(append(words, packagesOf(patterns)), " ")
}

// onPath reports whether idem, called by that name alone, is this program.
func onPath() bool {
	found, err := exec.LookPath("idem")
	if err != nil {
		return false
	}
	self, err := os.Executable()
	return err == nil && sameFile(found, self)
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

func packagesOf(patterns []string) string {
	if len(patterns) == 0 {
		return "./..."
	}
	return strings.Join(patterns, " ")
}

// printWritten names what was done: to standard output, unless that is for JSON.
func (g *generate) printWritten(c *cli.Console, result *gen.Result, took time.Duration) {
	w := c.Out
	if g.json {
		w = c.Err
	}
	for _, f := range result.Files {
		if f.Drifted() || g.verbose {
			fmt.Fprintf(w, "%-7s %s\n", done(f.State), cli.ShortPath(f.Rel))
		}
	}
	for _, note := range result.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	if g.verbose {
		fmt.Fprintf(w, "%s in %s, %s\n", count(len(result.Files), "file", "files"),
			count(result.Packages, "package", "packages"), took.Round(time.Millisecond))
	}
}

// printUnseen says what the run did not look at. Nothing is written because of it, so that it goes to standard error
// whatever is asked for.
func (g *generate) printUnseen(c *cli.Console, unseen []string) {
	for _, note := range unseen {
		fmt.Fprintf(c.Err, "note: %s\n", note)
	}
}

func done(state output.State) string {
	switch state {
	case output.Created:
		return "created"
	case output.Changed:
		return "changed"
	case output.Orphaned:
		return "removed"
	}
	return "kept"
}

func count(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}
