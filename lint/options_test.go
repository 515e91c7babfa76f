package lint_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/lint"
)

// optional is a module in which each option finds something else. What the helper does is known in the other package by
// its facts alone.
const optional = `
-- go.mod --
module shop.test

go 1.26
-- own.txt --
attempt shop.test/bank.Job.Number
-- keys/keys.go --
package keys

import "fmt"

func Of(order string, retryCount int) string { return fmt.Sprintf("order/%s/%d", order, retryCount) }
-- bank/bank.go --
package bank

import (
	"strconv"

	"shop.test/keys"
)

type API interface{ Pay(idempotencyKey string) error }

type Job struct{ Number int }

func Named(a API, order string) error { return a.Pay(keys.Of(order, 3)) }

func Field(a API, order string, retryCount int) error { return a.Pay("named:" + order + ":" + strconv.Itoa(retryCount)) }

func Own(a API, order string, j Job) error { return a.Pay("own:" + order + ":" + strconv.Itoa(j.Number)) }

func Glued(a API, order, user string) error { return a.Pay(order + user) }
`

// set is the rules with one choice of options, and the functions in which they find something.
type set struct {
	name  string
	rules []*analysis.Analyzer
	found []string
}

func sets(t *testing.T, config string) []set {
	t.Helper()
	everywhere := lint.New(&lint.Options{})
	flagged := lint.New(&lint.Options{})
	for name, rules := range map[string][]*analysis.Analyzer{"ambiguouskey.everywhere": everywhere, "attemptkey.names": flagged} {
		rule, option, _ := strings.Cut(name, ".")
		i := slices.IndexFunc(rules, func(a *analysis.Analyzer) bool { return a.Name == rule })
		if err := rules[i].Flags.Set(option, "true"); err != nil {
			t.Fatal(err)
		}
	}
	return []set{
		{"none", lint.New(&lint.Options{}), nil},
		{"names", lint.New(&lint.Options{AttemptNames: true}), []string{"Named attemptkey", "Field attemptkey"}},
		{"names by the flag", flagged, []string{"Named attemptkey", "Field attemptkey"}},
		{"config", lint.New(&lint.Options{Config: config}), []string{"Own attemptkey"}},
		{"everywhere", everywhere, []string{"Glued ambiguouskey"}},
		{"the offered ones", lint.Analyzers, nil},
	}
}

// TestOptionsDoNotMeet runs analyzers with different options over the same packages, all at once. Each set finds its own.
func TestOptionsDoNotMeet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	module, err := txtar.FS(txtar.Parse([]byte(optional)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, module); err != nil {
		t.Fatal(err)
	}
	config := &packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Env: append(os.Environ(), "GOFLAGS=", "GOWORK=off")}
	pkgs, err := packages.Load(config, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
	}
	var running sync.WaitGroup
	for range 3 {
		for _, s := range sets(t, filepath.Join(dir, "own.txt")) {
			running.Go(func() {
				if got := findings(t, s.rules, pkgs); !slices.Equal(got, s.found) {
					t.Errorf("%s: found %q, want %q", s.name, got, s.found)
				}
			})
		}
	}
	running.Wait()
}

// findings returns the function and the rule of each.
func findings(t *testing.T, rules []*analysis.Analyzer, pkgs []*packages.Package) []string {
	graph, err := checker.Analyze(rules, pkgs, nil)
	if err != nil {
		t.Error(err)
		return nil
	}
	var all []analysis.Diagnostic
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Error(root.Err)
		}
		all = append(all, root.Diagnostics...)
	}
	slices.SortFunc(all, func(a, b analysis.Diagnostic) int { return int(a.Pos - b.Pos) })
	var list []string
	for _, d := range all {
		list = append(list, around(pkgs, d)+" "+d.Category)
	}
	return list
}

// around is the function in which a diagnostic stands.
func around(pkgs []*packages.Package, d analysis.Diagnostic) string {
	for _, p := range pkgs {
		for _, file := range p.Syntax {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Pos() <= d.Pos && d.Pos < f.End() {
					return f.Name.Name
				}
			}
		}
	}
	return "?"
}
