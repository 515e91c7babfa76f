package idem_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the code that the pages show from the files that it was taken from")

// TestDocsExcerpts: a block of code on a page says in front of it where it was taken from,
//
//	<!-- from examples/payments/billing/ledger.go: Charge LedgerEntry -->
//
// and shows these declarations as they are there, with their comments. Without names the block stands somewhere in
// the file, to the letter. All Go code is taken from somewhere, so that it compiles; the program of the README is
// compiled by its own test. With -update the declarations are written anew:
//
//	go test . -run DocsExcerpts -update
func TestDocsExcerpts(t *testing.T) {
	if *update {
		for _, p := range readPages(t) {
			updateExcerpts(t, p)
		}
	}
	checkPages(t, wrongExcerpts)
	checkFinds(t, wrongExcerpts, map[string]string{
		"<!-- from nowhere.go -->\n```go\nx\n```\n":                                         "nowhere.go",
		"<!-- from docs_test.go: nobody -->\n```go\nx\n```\n":                               "no declaration nobody",
		"<!-- from docs_test.go: page -->\n```go\nx\n```\n":                                 "run go test . -run DocsExcerpts -update",
		"<!-- from examples/sms/output.txt -->\n```\nA clinic sends no messages\n```\n":     "is not in",
		"<!-- from docs_test.go: page.blocks -->\n\n```go\nx := 1\n```\n":                   "nothing behind it",
		"```go\npackage main\n\nfunc main() {}\n```\n":                                      "nothing compiles",
		"```go\n// one\nx := 1\n```\n":                                                      "nothing compiles",
		"<!-- from examples/payments/billing/ledger.go: Charge -->\n```go\nfunc F()\n```\n": "is not what",
	})
}

func wrongExcerpts(p page) (problems []string) {
	marked := 0
	for _, b := range p.blocks() {
		if b.from == "" {
			if b.lang == "go" && !needsNoFile(p, b) {
				problems = append(problems, p.problem("nothing compiles this code: make it a part of a file of the repository, and say which:\n%s", b.code))
			}
			continue
		}
		marked++
		file, names, byName := strings.Cut(b.from, ": ")
		source, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			problems = append(problems, p.problem("%v", err))
			continue
		}
		if !byName {
			if !strings.Contains(string(source), b.code+"\n") {
				problems = append(problems, p.problem("what it shows is not in %s:\n%s", file, b.code))
			}
			continue
		}
		code, err := excerpt(source, strings.Fields(names))
		switch {
		case err != nil:
			problems = append(problems, p.problem("%s: %v", file, err))
		case code != b.code:
			problems = append(problems, p.problem("what it shows is not what %s has; run go test . -run DocsExcerpts -update:\n%s", file, b.code))
		}
	}
	if markers := strings.Count(p.text, "\n<!-- from ") + strings.Count(p.text[:min(len(p.text), 10)], "<!-- from "); markers != marked {
		problems = append(problems, p.problem("a marker has no block of code right behind it: nothing behind it is checked"))
	}
	return problems
}

// needsNoFile reports whether a block of Go is right without a file: the program of the README's five minutes, which
// TestReadmeFirstHandler runs, and a block of nothing but comments.
func needsNoFile(p page, b block) bool {
	if p.path == "README.md" && strings.HasPrefix(b.code, "package main\n") {
		return true
	}
	for line := range strings.Lines(b.code) {
		if !strings.HasPrefix(line, "//") {
			return false
		}
	}
	return true
}

// updateExcerpts rewrites a page's excerpts.
func updateExcerpts(t *testing.T, p page) {
	t.Helper()
	text := p.text
	for _, b := range slices.Backward(p.blocks()) {
		file, names, byName := strings.Cut(b.from, ": ")
		if !byName {
			continue
		}
		source, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(p.problem("%v", err))
		}
		code, err := excerpt(source, strings.Fields(names))
		if err != nil {
			t.Fatal(p.problem("%s: %v", file, err))
		}
		text = text[:b.begin] + code + "\n" + text[b.end:]
	}
	if text == p.text {
		return
	}
	if err := os.WriteFile(filepath.FromSlash(p.path), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// excerpt returns declarations of a Go file with their comments: "Charge" of a function, a type or a variable,
// "Carrier.SendSMS" of a method.
func excerpt(source []byte, names []string) (string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	texts := make([]string, len(names))
	for i, name := range names {
		at := slices.IndexFunc(file.Decls, func(d ast.Decl) bool { return slices.Contains(declared(d), name) })
		if at < 0 {
			return "", fmt.Errorf("it has no declaration %s", name)
		}
		d := file.Decls[at]
		begin := d.Pos()
		if doc := comment(d); doc != nil {
			begin = doc.Pos()
		}
		texts[i] = string(source[files.Position(begin).Offset:files.Position(d.End()).Offset])
	}
	return strings.Join(texts, "\n\n"), nil
}

// declared are the names that a declaration declares.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{receiver(d) + d.Name.Name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// receiver is "T." of a method of T or *T, and "" of a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

func comment(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}
