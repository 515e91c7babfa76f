package vet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/lint"
)

// Options say what to run over what.
type Options struct {
	Dir      string   // where patterns are relative to; "" is the current directory
	Patterns []string // default ./...
	Enable   []string // the only rules to run; none means all
	Disable  []string // rules not to run
	// Config and AttemptNames are those of [lint.Options].
	Config       string
	AttemptNames bool
}

// Result is what a run found.
type Result struct {
	Findings []Finding
	Broken   []string // packages that do not compile, of which little can be said, and the first reason
	imports  map[string]string
}

// A RuleError names a rule that does not exist.
type RuleError struct{ Name, Hint string }

// Error returns the name and what was probably meant.
func (e *RuleError) Error() string { return fmt.Sprintf("there is no rule %q; %s", e.Name, e.Hint) }

// A PatternError says which packages cannot be found.
type PatternError struct{ message string }

// Error returns the reason.
func (e *PatternError) Error() string { return e.message }

// Run runs the rules.
func Run(ctx context.Context, o Options) (*Result, error) {
	analyzers, err := chosen(o)
	if err != nil {
		return nil, err
	}
	pkgs, asked, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		return nil, err
	}
	r := &Result{imports: map[string]string{}}
	for _, p := range pkgs {
		r.describe(p, asked[p.ID])
	}
	for act := range graph.All() { // what others wait for comes first
		if act.Err != nil {
			return nil, act.Err
		}
	}
	for _, root := range graph.Roots {
		for _, d := range root.Diagnostics {
			if asked[root.Package.ID] {
				r.Findings = append(r.Findings, finding(root.Package.Fset, d))
			}
		}
	}
	r.Findings = sorted(r.Findings)
	return r, nil
}

// describe notes what is wrong with a package, and how the packages that it imports are called.
func (r *Result) describe(p *packages.Package, asked bool) {
	if asked && len(p.Errors) > 0 {
		r.Broken = append(r.Broken, p.PkgPath+": "+reason(p.Errors))
	}
	for path, imported := range p.Imports {
		r.imports[path] = imported.Name
	}
}

// reason returns the first error that has a place, on one line.
func reason(errs []packages.Error) string {
	first := errs[0]
	for _, e := range errs {
		if e.Pos != "" && e.Pos != "-" {
			first = e
			break
		}
	}
	return strings.Join(strings.Fields(first.Error()), " ")
}

// Rules are the names of all rules.
func Rules() []string {
	var names []string
	for _, a := range lint.Analyzers {
		names = append(names, a.Name)
	}
	return names
}

// chosen returns the analyzers to run.
func chosen(o Options) ([]*analysis.Analyzer, error) {
	for _, name := range slices.Concat(o.Enable, o.Disable) {
		if !slices.Contains(Rules(), name) {
			hint := diag.DidYouMean(diag.Suggest(name, Rules()))
			if hint == "" {
				hint = "the rules are " + strings.Join(Rules(), ", ")
			}
			return nil, &RuleError{name, hint}
		}
	}
	var list []*analysis.Analyzer
	// Only what was asked for has syntax, so all of that is worth a look.
	for _, a := range lint.New(&lint.Options{Config: o.Config, AttemptNames: o.AttemptNames, Everything: true}) {
		if (len(o.Enable) == 0 || slices.Contains(o.Enable, a.Name)) && !slices.Contains(o.Disable, a.Name) {
			list = append(list, a)
		}
	}
	return list, nil
}

// load loads the packages that are asked for, and those of the same modules that they import: what
// these do is known from their source alone. asked has the former.
func load(ctx context.Context, o Options) (pkgs []*packages.Package, asked map[string]bool, err error) {
	patterns := o.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	config := &packages.Config{Context: ctx, Dir: o.Dir, Mode: packages.LoadSyntax | packages.NeedModule}
	pkgs, err = packages.Load(config, patterns...)
	if err != nil {
		return nil, nil, err
	}
	asked = map[string]bool{}
	for _, p := range pkgs {
		if len(p.GoFiles)+len(p.CompiledGoFiles)+len(p.IgnoredFiles)+len(p.OtherFiles) == 0 && len(p.Errors) > 0 {
			return nil, nil, &PatternError{fmt.Sprintf("no package %s: %s", p.PkgPath, p.Errors[0].Msg)}
		}
		asked[p.ID] = true
	}
	for more := missing(pkgs); len(more) > 0; more = missing(pkgs) {
		before := len(pkgs)
		pkgs, err = packages.Load(config, append(patterns, more...)...)
		if err != nil {
			return nil, nil, err
		}
		if len(pkgs) == before {
			break
		}
		patterns = append(patterns, more...)
	}
	return pkgs, asked, nil
}

// missing returns the packages that belong to the modules of some packages, are imported by them, and are
// not among them.
func missing(pkgs []*packages.Package) []string {
	have, modules := map[string]bool{}, map[string]bool{}
	for _, p := range pkgs {
		have[p.PkgPath] = true
		if p.Module != nil {
			modules[p.Module.Path] = true
		}
	}
	var more []string
	for _, p := range pkgs {
		for path := range p.Imports {
			if !have[path] && within(path, modules) {
				more = append(more, path)
				have[path] = true
			}
		}
	}
	slices.Sort(more)
	return more
}

func within(path string, modules map[string]bool) bool {
	for m := range modules {
		if path == m || strings.HasPrefix(path, m+"/") {
			return true
		}
	}
	return false
}
