package load

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/scan"
)

// Program is the packages of one run.
type Program struct {
	Fset     *token.FileSet
	Packages []*Package                // in the order of their paths; in import order once [Program.Import] has run
	Wrong    diag.List                 // what is wrong with directives themselves, and with the syntax around them
	Absent   []Absent                  // files with directives that are not of this build
	dirs     []string                  // the run's directory, as named and without symbolic links
	own      map[string]*Package       // Packages, by path
	imported map[string]*types.Package // from export data, by path
	missing  map[string]string         // why an import could not be loaded, by path

	importing sync.Mutex
}

// Package is one package of the program.
type Package struct {
	*scan.Package
	Syntax     []*ast.File
	Directives []directive.Placed // in source order; file by file
	Constraint string             // the build constraint that all files with directives stand under; "" without
	Tested     bool               // tests are generated for it
	SyntaxErr  scanner.ErrorList  // when not empty, Syntax is not complete
	Types      *types.Package     // nil until the package was checked
	Info       *types.Info
	Errors     []types.Error // of the check; most do not matter
	tests      []*ast.File   // those of its own tests that idem did not generate, once they are asked for
	generated  *ast.File     // what idem generated in this run, nil before
	stale      bool          // generated has joined since the last check
}

// Parse reads the files of the packages found below dir. Neither their order nor that of the files
// matters.
func Parse(dir string, found []*scan.Package) *Program {
	p := &Program{Fset: token.NewFileSet(), dirs: absolute(dir), own: map[string]*Package{}}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range slices.SortedFunc(slices.Values(found), byPath) {
		pkg := &Package{Package: f}
		p.Packages = append(p.Packages, pkg)
		group.Go(func() error { p.parse(pkg); return nil })
	}
	group.Wait()
	return p
}

func byPath(a, b *scan.Package) int { return cmp.Compare(a.Path, b.Path) }

func (p *Program) parse(pkg *Package) {
	files := slices.SortedFunc(slices.Values(pkg.Files), func(a, b scan.File) int { return cmp.Compare(a.Path, b.Path) })
	for _, f := range files {
		if f.Err != nil {
			pkg.SyntaxErr.Add(token.Position{Filename: f.Path, Line: 1, Column: 1}, unreadable(f.Err))
			continue
		}
		file, err := p.parseFile(f.Path, f.Src)
		if list, ok := err.(scanner.ErrorList); ok {
			pkg.SyntaxErr = append(pkg.SyntaxErr, list...)
		}
		pkg.Syntax = append(pkg.Syntax, file)
	}
}

func (p *Program) parseFile(path string, src []byte) (*ast.File, error) {
	return parser.ParseFile(p.Fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
}

// Position returns a place in the source as diagnostics show it: relative to the run's directory where
// the file is below it.
func (p *Program) Position(pos token.Pos) diag.Position {
	return p.position(p.Fset.PositionFor(pos, false))
}

func (p *Program) position(at token.Position) diag.Position {
	return diag.Position{File: p.relative(at.Filename), Line: at.Line, Column: at.Column}
}

func (p *Program) relative(path string) string {
	for _, dir := range p.dirs {
		rel, err := filepath.Rel(dir, path)
		if err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// SyntaxDiagnostics returns the package's syntax errors.
func (p *Program) SyntaxDiagnostics(pkg *Package) diag.List { return p.syntax(pkg.SyntaxErr) }

func (p *Program) syntax(err error) diag.List {
	errs, ok := errors.AsType[scanner.ErrorList](err)
	if !ok {
		return nil
	}
	var list diag.List
	for _, e := range errs {
		list.Add(p.position(e.Pos), "syntax", "", "%s", e.Msg)
	}
	return list
}

// unreadable is what is wrong with a file that cannot be read.
func unreadable(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return "the file cannot be read: " + err.Error()
}

func absolute(dir string) []string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	dirs := []string{abs}
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
		dirs = append(dirs, real)
	}
	return dirs
}
