package gen_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen"
)

// TestOutboxesAreThoseOfTheSamples generates for the structs that the runtime's own tests were written with by hand:
// what runs there must be what is generated here. Only line breaks may differ.
func TestOutboxesAreThoseOfTheSamples(t *testing.T) {
	samples := parseDecls(t, "../runtime/outbox/sample_test.go", "../runtime/outbox/forms_test.go")
	m := newModule(t)
	m.write("sample/sample.go", samples.source())
	m.generate(gen.Options{Tests: new(false)})
	generated := parseDecls(t, m.dir+"/sample/idem_gen.go")
	if len(generated.byName) != 12 {
		t.Errorf("%d declarations are generated", len(generated.byName))
	}
	for name, decl := range generated.byName {
		sample := samples.byName[name]
		if sample == nil {
			t.Errorf("the samples have no %s", name)
			continue
		}
		if diff := cmp.Diff(samples.code(t, sample), generated.code(t, decl)); diff != "" {
			t.Errorf("%s (-sample +generated):\n%s", name, diff)
		}
		if doc := sample.doc.Text(); doc != "" && words(doc) != words(decl.doc.Text()) {
			t.Errorf("%s is documented as\n%swant\n%s", name, decl.doc.Text(), doc)
		}
	}
	migration := m.read("migrations/00001_idem_notes_and_2_more.sql")
	if want := samples.text(t, "webhookMigration"); !strings.Contains(words(migration), words(want)) {
		t.Errorf("the migration is\n%s\nand does not hold\n%s", migration, want)
	}
}

// decls are the functions and variables of some files.
type decls struct {
	fset   *token.FileSet
	files  []*ast.File
	byName map[string]*decl
}

type decl struct {
	node any // without its documentation
	doc  *ast.CommentGroup
}

func parseDecls(t *testing.T, paths ...string) decls {
	t.Helper()
	d := decls{fset: token.NewFileSet(), byName: map[string]*decl{}}
	for _, path := range paths {
		file, err := parser.ParseFile(d.fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		d.files = append(d.files, file)
		for _, node := range file.Decls {
			switch node := node.(type) {
			case *ast.FuncDecl:
				d.byName[node.Name.Name] = &decl{node, node.Doc}
				node.Doc = nil
			case *ast.GenDecl:
				if spec, ok := node.Specs[0].(*ast.ValueSpec); ok {
					d.byName[spec.Names[0].Name] = &decl{spec, node.Doc}
				}
			}
		}
	}
	return d
}

var quotedDirective = regexp.MustCompile(`(?m)^\s*(//idem:\S.*)$`)

// source is a package with the structs whose documentation shows a directive, which it then bears.
func (d decls) source() string {
	var b bytes.Buffer
	b.WriteString("package sample\n")
	for _, file := range d.files {
		for _, node := range file.Decls {
			g, ok := node.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			if shown := quotedDirective.FindStringSubmatch(g.Doc.Text()); shown != nil {
				g.Doc = nil
				fmt.Fprintf(&b, "\n%s\n", shown[1])
				_ = printer.Fprint(&b, d.fset, g)
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// code writes a declaration with single spaces.
func (d decls) code(t *testing.T, decl *decl) string {
	t.Helper()
	var b bytes.Buffer
	if err := printer.Fprint(&b, d.fset, decl.node); err != nil {
		t.Fatal(err)
	}
	return words(b.String())
}

// text is the value of a string constant.
func (d decls) text(t *testing.T, name string) string {
	t.Helper()
	text, err := strconv.Unquote(d.byName[name].node.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func words(text string) string { return strings.Join(strings.Fields(text), " ") }
