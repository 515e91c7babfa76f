package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/model"
)

// GeneratedError says that a file idem generated is not valid Go. It is a mistake of idem, not of the
// source.
type GeneratedError struct {
	Pos     token.Position
	Line    string // of the generated file
	Message string
}

// Error returns the position, the message and the line.
func (e *GeneratedError) Error() string {
	return fmt.Sprintf("idem generated code that is not valid, please report it: %s: %s\n\t%s", e.Pos, e.Message, e.Line)
}

// Verify type-checks a package together with generated Go files (name to content), whose functions'
// bodies are checked too; those of the package itself are not. It returns the first error that stands
// in a generated file. With tests among the files, the package's own tests are part of it; tests are left out when
// what they import could not be loaded. Packages may be verified side by side, when all have been checked.
func (p *Program) Verify(pkg *Package, generated map[string][]byte) error {
	syntax, testable := pkg.Syntax, p.missing[model.FaultTestPath] == ""
	if generated[model.GeneratedTests] != nil && testable {
		syntax = slices.Concat(syntax, p.Tests(pkg))
	}
	files := slices.Collect(withoutBodies(syntax))
	sources := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(generated)) {
		if !strings.HasSuffix(name, ".go") || name == model.GeneratedTests && !testable {
			continue
		}
		path := filepath.Join(pkg.Dir, name)
		file, err := p.parseFile(path, generated[name])
		if err != nil {
			return generatedError(generated[name], err)
		}
		files, sources[path] = append(files, file), generated[name]
	}
	var first error
	config := p.config(importer{p: p}, func(err types.Error) {
		at := p.Fset.PositionFor(err.Pos, false)
		if src, ok := sources[at.Filename]; ok && first == nil {
			first = &GeneratedError{Pos: at, Line: lineOf(src, at.Line), Message: err.Msg}
		}
	})
	config.Check(pkg.Path, p.Fset, files, nil) // errors were taken above
	return first
}

// withoutBodies returns the files with the bodies of their functions left away.
func withoutBodies(files []*ast.File) func(yield func(*ast.File) bool) {
	return func(yield func(*ast.File) bool) {
		for _, file := range files {
			bare := *file
			bare.Decls = slices.Clone(file.Decls)
			for i, decl := range bare.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok {
					head := *fn
					head.Body = nil
					bare.Decls[i] = &head
				}
			}
			if !yield(&bare) {
				return
			}
		}
	}
}

func generatedError(src []byte, err error) error {
	list, ok := errors.AsType[scanner.ErrorList](err)
	if !ok || len(list) == 0 {
		return err
	}
	return &GeneratedError{Pos: list[0].Pos, Line: lineOf(src, list[0].Pos.Line), Message: list[0].Msg}
}

func lineOf(src []byte, line int) string {
	lines := bytes.Split(src, []byte("\n"))
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(string(lines[line-1]))
}
