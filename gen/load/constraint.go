package load

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"io"
	"path/filepath"
	"strings"
)

// Constraint is the build constraint that a file stands under, as a //go:build line has it; "" without one. It comes from
// such a line, from the file's name, and from what it imports.
func Constraint(path string, file *ast.File) string {
	terms := nameConstraints(filepath.Base(path))
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			terms = append(terms, &constraint.TagExpr{Tag: "cgo"})
			break
		}
	}
	if line := lineConstraint(file); line != nil {
		terms = append(terms, line)
	}
	if len(terms) == 0 {
		return ""
	}
	all := terms[0]
	for _, term := range terms[1:] {
		all = &constraint.AndExpr{X: all, Y: term}
	}
	return all.String()
}

// lineConstraint is what the file's //go:build line says.
func lineConstraint(file *ast.File) constraint.Expr {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if file.Package.IsValid() && c.Pos() > file.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil {
				return expr
			}
		}
	}
	return nil
}

// nameConstraints are what the end of a file's name says: _GOOS, _GOARCH or _GOOS_GOARCH.
func nameConstraints(name string) []constraint.Expr {
	name, _, _ = strings.Cut(name, ".")
	words := strings.Split(name, "_")[1:]
	var terms []constraint.Expr
	if n := len(words); n > 0 && isKnown(words[n-1]) {
		if n > 1 && isSystem(words[n-2]) && !isSystem(words[n-1]) {
			terms = append(terms, &constraint.TagExpr{Tag: words[n-2]})
		}
		terms = append(terms, &constraint.TagExpr{Tag: words[n-1]})
	}
	return terms
}

// isKnown reports whether the word is a system or an architecture: without that one, go/build leaves the file out.
func isKnown(word string) bool { return !isOfBuild(word, "") }

// isSystem reports whether the word is a system, which counts also before an architecture.
func isSystem(word string) bool { return !isOfBuild(word+"_amd64", "amd64") }

// isOfBuild asks go/build, which knows all systems and architectures, whether a file whose name ends so is of a build
// for the architecture and no system.
func isOfBuild(end, architecture string) bool {
	empty := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }
	context := build.Context{GOARCH: architecture, Compiler: "gc", OpenFile: empty}
	match, err := context.MatchFile("", "p_"+end+".go")
	return err == nil && match
}
