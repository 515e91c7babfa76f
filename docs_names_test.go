package idem_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// documented are the packages that pages name, by the name that stands in front of the dot.
var documented = map[string]string{
	"runtime":         "runtime",
	"outbox":          "runtime/outbox",
	"httpsender":      "runtime/outbox/httpsender",
	"watermillsender": "runtime/outbox/watermillsender",
	"provider":        "runtime/provider",
	"ledger":          "runtime/provider/ledger",
	"faulttest":       "runtime/faulttest",
	"pgtest":          "runtime/pgtest",
	"migrations":      "migrations",
}

// TestDocsNames: what a page calls runtime.Client.Retry is a method or a field that there is.
func TestDocsNames(t *testing.T) {
	t.Parallel()
	checkPages(t, unknownNames)
	checkFinds(t, unknownNames, map[string]string{
		"`runtime.NoSuchThing`":                     "runtime.NoSuchThing",
		"```go\nx := outbox.NoSuchThing{}\n```\n":   "outbox.NoSuchThing",
		"`runtime.Config.NoSuchField`":              "runtime.Config.NoSuchField",
		"`runtime.Client.NoSuchMethod(ctx)`":        "runtime.Client.NoSuchMethod",
		"`outbox.Sender.NoSuchMethod`":              "outbox.Sender.NoSuchMethod",
		"`ctx.NoSuchMethod()`":                      "ctx.NoSuchMethod",
		"`watermillsender.NoSuchThing` of a broker": "watermillsender.NoSuchThing",
	})
}

var qualified = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)

func unknownNames(p page) (problems []string) {
	for _, m := range qualified.FindAllStringSubmatch(p.text, -1) {
		name, member := m[2], m[3]
		dir, known := documented[m[1]]
		if m[1] == "ctx" {
			dir, known, name, member = "runtime", true, "Context", m[2]
		}
		if !known {
			continue
		}
		members, exported := exportsOf(dir)[name]
		if !exported || member != "" && !members[member] {
			problems = append(problems, p.problem("%s is not in %s", m[0], dir))
		}
	}
	return problems
}

// exports are the exported names of a package, each with its exported fields and methods.
type exports map[string]map[string]bool

var (
	exportsMu  sync.Mutex
	exportsDir = map[string]exports{}
)

func exportsOf(dir string) exports {
	exportsMu.Lock()
	defer exportsMu.Unlock()
	if exportsDir[dir] == nil {
		exportsDir[dir] = readExports(dir)
	}
	return exportsDir[dir]
}

// readExports parses a package's files. One that cannot be read has no names, so that each of them is a problem.
func readExports(dir string) exports {
	all := exports{}
	names, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return all
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return all
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			return all
		}
		for _, d := range file.Decls {
			all.add(d)
		}
	}
	return all
}

func (all exports) add(d ast.Decl) {
	for _, name := range declared(d) {
		owner, method, isMethod := strings.Cut(name, ".")
		switch {
		case isMethod && ast.IsExported(owner) && ast.IsExported(method):
			all.member(owner, method)
		case !isMethod && ast.IsExported(name):
			all.member(name, "")
		}
	}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range g.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		var fields *ast.FieldList
		switch t := t.Type.(type) {
		case *ast.StructType:
			fields = t.Fields
		case *ast.InterfaceType:
			fields = t.Methods
		default:
			continue
		}
		for _, f := range fields.List {
			for _, n := range f.Names {
				if ast.IsExported(n.Name) {
					all.member(t.Name.Name, n.Name)
				}
			}
		}
	}
}

// member notes a name, and a member of it unless that is "".
func (all exports) member(name, member string) {
	if all[name] == nil {
		all[name] = map[string]bool{}
	}
	if member != "" {
		all[name][member] = true
	}
}
