package directive

import (
	"context"
	_ "embed"
	"errors"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/gen/resolve"
	"github.com/idem-go/idem/gen/scan"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "directive",
	Doc:      doc,
	Severity: rule.Error,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	list, placed := read(p)
	if placed {
		// What types and names say only the generator's own stages know. They ask the go command, so
		// they run only where directives stand.
		if resolved := resolvePackage(p); resolved != nil {
			list = resolved
		}
	}
	for _, d := range list.Sorted() {
		if pos := position(p, d.Pos); pos.IsValid() {
			p.Report(rule.Finding{At: at(pos), What: d.Code + ": " + d.Message, Do: d.Fix})
		}
	}
}

// at is a range of no length.
type at token.Pos

func (a at) Pos() token.Pos { return token.Pos(a) }
func (a at) End() token.Pos { return token.NoPos }

// read checks the directives themselves, and reports whether any of them stands on a declaration.
func read(p *rule.Pass) (list diag.List, placed bool) {
	for _, file := range p.Files {
		name := p.Fset.PositionFor(file.Package, false).Filename
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == model.GeneratedFile {
			continue
		}
		report := func(pos token.Pos, code, fix, message string) {
			if isIgnore(file, pos) {
				return
			}
			at := p.Fset.PositionFor(pos, false)
			list.Add(diag.Position{File: at.Filename, Line: at.Line, Column: at.Column}, code, fix, "%s", message)
		}
		placed = len(registry.Kinds.Directives().File(p.Fset, file, report)) > 0 || placed
	}
	return list, placed
}

// isIgnore reports whether a report is about the linter's own directive.
func isIgnore(file *ast.File, pos token.Pos) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() <= pos && pos < c.End() {
				return strings.HasPrefix(c.Text, "//idem:ignore")
			}
		}
	}
	return false
}

// resolvePackage returns what the generator says of the package, or nil when it cannot tell.
func resolvePackage(p *rule.Pass) diag.List {
	dir := filepath.Dir(p.Fset.PositionFor(p.Files[0].Package, false).Filename)
	err := generatorsError(dir)
	list, ok := errors.AsType[diag.List](err)
	if !ok {
		return nil
	}
	for i := range list {
		if !filepath.IsAbs(list[i].Pos.File) {
			list[i].Pos.File = filepath.Join(dir, list[i].Pos.File)
		}
	}
	return withoutIgnores(p, list)
}

// generatorsError is where the generator's stages before the model end: with all that is wrong, or with nil.
func generatorsError(dir string) error {
	found, err := scan.Packages(context.Background(), dir, []string{"."})
	if err != nil {
		return err
	}
	kinds := registry.Kinds.Resolve()
	needs := load.Needs{Directives: kinds.Directives(), Imports: kinds.Imports(), Tests: map[string]bool{}}
	for _, pkg := range found {
		needs.Tests[pkg.Dir] = tested(pkg.Dir)
	}
	program, err := load.Packages(context.Background(), dir, found, needs)
	if err != nil {
		return err
	}
	for _, err := range resolve.Packages(program, kinds) {
		if err != nil {
			return err
		}
	}
	return nil
}

// tested reports whether idem generates tests for the package in a folder: its lock file says so.
func tested(dir string) bool {
	path, err := lock.Locate(dir)
	if err != nil {
		return false
	}
	l, err := lock.Read(path, path, registry.Kinds.Lock())
	return err == nil && l.Tests != nil && *l.Tests
}

func withoutIgnores(p *rule.Pass, list diag.List) diag.List {
	var kept diag.List
	for _, d := range list {
		pos := position(p, d.Pos)
		ignored := false
		for _, file := range p.Files {
			ignored = ignored || file.FileStart <= pos && pos < file.FileEnd && isIgnore(file, pos)
		}
		if !ignored {
			kept = append(kept, d)
		}
	}
	return kept
}

// position finds a place in the files of the pass.
func position(p *rule.Pass, at diag.Position) token.Pos {
	for _, file := range p.Files {
		f := p.Fset.File(file.FileStart)
		if sameFile(f.Name(), at.File) && at.Line <= f.LineCount() {
			return f.LineStart(at.Line) + token.Pos(at.Column-1)
		}
	}
	return token.NoPos
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	ra, errA := filepath.EvalSymlinks(a)
	rb, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && ra == rb
}
