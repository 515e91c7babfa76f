package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/lint"
	"github.com/idem-go/idem/lint/vet"
)

// vetting is the verb with its flags.
type vetting struct {
	cmd     *cli.Command
	json    bool
	sarif   bool
	fix     bool
	options vet.Options
}

func vetVerb() *cli.Command {
	v := &vetting{cmd: &cli.Command{
		Name:    "idem vet",
		Args:    "[packages]",
		Summary: "Find what makes the effect of a retried handler happen twice.",
		Text: `Packages are named as for the go command; the default is ./... . The rules know idem, and also River,
Temporal, Asynq, DBOS and other frameworks, and plain retry loops. What your own functions do you can say
in a file .idemvet beside go.mod: 'attempt example.com/shop/queue.Job.Tries'.

A finding that is wrong is silenced with its reason, on the line above or at the end of the line:
//idem:ignore RULE -- REASON

Findings go to standard output. The rules are explained at
https://pkg.go.dev/github.com/idem-go/idem/lint .`,
		Flags: cli.NewFlags(),
	}}
	flags := v.cmd.Flags
	flags.BoolVar(&v.json, "json", false, "print the findings as JSON")
	flags.BoolVar(&v.sarif, "sarif", false, "print the findings as SARIF 2.1.0")
	flags.BoolVar(&v.fix, "fix", false, "apply the fixes that there are, and print what is left")
	flags.StringSliceVar(&v.options.Enable, "enable", nil, "run only these `RULES`, separated by commas")
	flags.StringSliceVar(&v.options.Disable, "disable", nil, "do not run these `RULES`")
	flags.StringVar(&v.options.Config, "config", "", "read your own sources and sinks from `FILE` instead of .idemvet")
	flags.BoolVar(&v.options.AttemptNames, "attempt-names", false, "take fields and parameters for attempts that are only called so")
	v.cmd.Run = v.run
	return v.cmd
}

func (v *vetting) run(ctx context.Context, c *cli.Console, patterns []string) error {
	if v.json && v.sarif {
		return v.cmd.Usagef("--json and --sarif both print to standard output; choose one")
	}
	if v.options.Config != "" {
		path, err := filepath.Abs(v.options.Config)
		if err != nil {
			return err
		}
		v.options.Config = path
	}
	if c.Env("GOGC") == "" {
		debug.SetGCPercent(300) // a short run that holds on to most of what it makes
	}
	v.options.Patterns = patterns
	result, err := vet.Run(ctx, v.options)
	if err == nil && v.fix {
		result, err = v.applied(ctx, c, result)
	}
	if v.isUsage(err) {
		return v.cmd.Usagef("%v", err)
	}
	if err != nil {
		return err
	}
	for _, broken := range result.Broken {
		fmt.Fprintf(c.Err, "idem: little can be said of a package that does not compile: %s\n", broken)
	}
	return v.print(c, result.Findings)
}

// isUsage reports whether a run could not begin because of what it was asked.
func (v *vetting) isUsage(err error) bool {
	_, pattern := errors.AsType[*vet.PatternError](err)
	_, rule := errors.AsType[*vet.RuleError](err)
	_, line := errors.AsType[*lint.ConfigError](err)
	return pattern || rule || line
}

// maxRounds bounds the runs of --fix: fixes that overlap need several.
const maxRounds = 5

// applied applies the fixes and gives what is left.
func (v *vetting) applied(ctx context.Context, c *cli.Console, result *vet.Result) (*vet.Result, error) {
	var fixed []string
	for range maxRounds {
		files, err := result.Fix()
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			break
		}
		fixed = append(fixed, files...)
		if result, err = vet.Run(ctx, v.options); err != nil {
			return nil, err
		}
	}
	slices.Sort(fixed)
	for _, file := range slices.Compact(fixed) {
		fmt.Fprintf(c.Err, "fixed %s\n", cli.ShortPath(file))
	}
	return result, nil
}

func (v *vetting) print(c *cli.Console, findings []vet.Finding) error {
	for i := range findings {
		f := &findings[i]
		f.Pos.File, f.End.File = cli.ShortPath(f.Pos.File), cli.ShortPath(f.End.File)
		for j := range f.Related {
			f.Related[j].Pos.File = cli.ShortPath(f.Related[j].Pos.File)
		}
	}
	var err error
	switch {
	case v.sarif:
		err = vet.WriteSARIF(c.Out, findings)
	case v.json:
		enc := json.NewEncoder(c.Out)
		enc.SetIndent("", "  ")
		err = enc.Encode(append([]vet.Finding{}, findings...))
	default:
		for _, f := range findings {
			fmt.Fprintln(c.Out, f)
		}
	}
	if err == nil && len(findings) > 0 {
		return cli.ErrFindings
	}
	return err
}
