package lint_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/idem-go/idem/lint"
)

// everything are the rules for the cases, which belong to no module.
var everything = lint.New(&lint.Options{Everything: true})

// TestCases runs all rules together over all cases: what one of them reports in the case of another is
// wrong too. A comment // want `expr` stands on each line that is reported.
func TestCases(t *testing.T) {
	src, err := filepath.Abs(filepath.Join("testdata", "src"))
	if err != nil {
		t.Fatal(err)
	}
	found := analyze(t, src, cases(t, src)...)
	expected := 0
	for _, name := range cases(t, src) {
		name := strings.TrimSuffix(name, "/...")
		t.Run(name, func(t *testing.T) {
			expected += check(t, found, filepath.Join(src, name)+string(filepath.Separator))
		})
	}
	t.Logf("%d cases, %d expected reports", len(cases(t, src)), expected)
}

// cases are the folders below src that hold a case: those without a dot, which are the stubs.
func cases(t *testing.T, src string) []string {
	t.Helper()
	entries, err := os.ReadDir(src)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.Contains(e.Name(), ".") {
			names = append(names, e.Name()+"/...")
		}
	}
	return names
}

// result is what an analysis gave.
type result struct {
	pkgs        []*packages.Package
	fset        *token.FileSet
	diagnostics []analysis.Diagnostic
	byPackage   map[*packages.Package][]analysis.Diagnostic
}

// load loads packages of a GOPATH whose src is given.
func load(t *testing.T, src string, patterns ...string) []*packages.Package {
	t.Helper()
	config := &packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule,
		Dir:  src,
		Env:  append(os.Environ(), "GOPATH="+filepath.Dir(src), "GO111MODULE=off", "GOPROXY=off", "GOFLAGS="),
	}
	pkgs, err := packages.Load(config, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Errorf("%s: %v", p.PkgPath, e)
		}
	}
	return pkgs
}

// analyze runs all rules over packages of a GOPATH.
func analyze(t *testing.T, src string, patterns ...string) *result {
	t.Helper()
	pkgs := load(t, src, patterns...)
	graph, err := checker.Analyze(everything, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &result{pkgs: pkgs, fset: pkgs[0].Fset, byPackage: map[*packages.Package][]analysis.Diagnostic{}}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Errorf("%v: %v", root, root.Err)
		}
		r.diagnostics = append(r.diagnostics, root.Diagnostics...)
		r.byPackage[root.Package] = append(r.byPackage[root.Package], root.Diagnostics...)
	}
	return r
}

var want = regexp.MustCompile("// want (.*)$")
var quoted = regexp.MustCompile("`[^`]*`")

// check compares the diagnostics below a folder with the comments there, and gives how many it expected.
func check(t *testing.T, r *result, dir string) int {
	t.Helper()
	type line struct {
		file string
		line int
	}
	wanted := map[line][]*regexp.Regexp{}
	count := 0
	eachComment(r.pkgs, func(c *ast.Comment) {
		at := r.fset.Position(c.Pos())
		m := want.FindStringSubmatch(c.Text)
		if m == nil || !strings.HasPrefix(at.Filename, dir) {
			return
		}
		for _, expr := range quoted.FindAllString(m[1], -1) {
			l := line{at.Filename, at.Line}
			wanted[l] = append(wanted[l], regexp.MustCompile(strings.Trim(expr, "`")))
			count++
		}
	})
	for _, d := range r.diagnostics {
		at := r.fset.Position(d.Pos)
		if !strings.HasPrefix(at.Filename, dir) {
			continue
		}
		l := line{at.Filename, at.Line}
		i := slices.IndexFunc(wanted[l], func(re *regexp.Regexp) bool { return re.MatchString(d.Message) })
		if i < 0 {
			t.Errorf("%s:%d: unexpected: %s", strings.TrimPrefix(at.Filename, dir), at.Line, d.Message)
			continue
		}
		wanted[l] = slices.Delete(wanted[l], i, i+1)
	}
	for l, rest := range wanted {
		for _, re := range rest {
			t.Errorf("%s:%d: no report matches %s", strings.TrimPrefix(l.file, dir), l.line, re)
		}
	}
	return count
}

func eachComment(pkgs []*packages.Package, yield func(*ast.Comment)) {
	for _, p := range pkgs {
		for _, file := range p.Syntax {
			for _, group := range file.Comments {
				for _, c := range group.List {
					yield(c)
				}
			}
		}
	}
}
