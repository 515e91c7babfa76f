package directive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/lint/directive"
)

// beyond are the cases of the generator that no analysis of a single package can judge: what the
// packages of a run have in common, and packages that the go command refuses, and tests, of which the linter says nothing.
var beyond = []string{
	"duplicate-node-packages", "duplicate-provider-packages", "mixed-packages", "everything-at-once", "syntax", "test-file", "unclosed-comment",
}

// TestSameWordsAsTheGenerator runs the rule over the generator's own cases of mistakes.
func TestSameWordsAsTheGenerator(t *testing.T) {
	root := filepath.Join("..", "..")
	dir := t.TempDir()
	write(t, dir, archive(t, filepath.Join(root, "gen", "resolve", "testdata", "module.txtar")))
	paths, err := filepath.Glob(filepath.Join(root, "golden", "diagnostics", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	want := map[string]string{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		if slices.Contains(beyond, name) {
			continue
		}
		a := archive(t, path)
		write(t, filepath.Join(dir, name), a)
		write(t, filepath.Join(dir, name), &txtar.Archive{Files: []txtar.File{{Name: "idem.lock"}}})
		for _, f := range a.Files {
			if f.Name == "want.txt" {
				want[name] = string(f.Data)
			}
		}
	}
	got := reports(t, dir)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s:\ngot\n%swant\n%s", name, got[name], text)
		}
	}
}

func archive(t *testing.T, path string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func write(t *testing.T, dir string, a *txtar.Archive) {
	t.Helper()
	for _, f := range a.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var form = regexp.MustCompile(`^\[directive\] ([a-z-]+): (.*)$`)

// reports returns what the rule says in each folder, in the form of the generator's cases.
func reports(t *testing.T, dir string) map[string]string {
	t.Helper()
	config := &packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")}
	pkgs, err := packages.Load(config, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{directive.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Error(root.Err)
		}
		for _, d := range root.Diagnostics {
			at := root.Package.Fset.Position(d.Pos)
			rel, err := filepath.Rel(dir, at.Filename)
			if err != nil {
				t.Fatal(err)
			}
			name, file, _ := strings.Cut(filepath.ToSlash(rel), "/")
			m := form.FindStringSubmatch(d.Message)
			if m == nil {
				t.Fatalf("not the form of the rule: %s", d.Message)
			}
			got[name] += fmt.Sprintf("%s:%d:%d: %s [%s]\n", file, at.Line, at.Column, m[2], m[1])
		}
	}
	return got
}
