package load

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/idem-go/idem/gen/model"
)

// Tests returns the files of the package's own tests, those of package x and not of x_test, without what idem
// generated. They may be wrong: whoever needs something of them finds out whether it is there.
func (p *Program) Tests(pkg *Package) []*ast.File {
	if pkg.tests != nil {
		return pkg.tests
	}
	pkg.tests = []*ast.File{}
	entries, _ := os.ReadDir(pkg.Dir) // sorted; where it cannot be read there are none
	for _, entry := range entries {
		if file := p.test(pkg, entry.Name()); file != nil && file.Name.Name == pkg.Name {
			pkg.tests = append(pkg.tests, file)
		}
	}
	return pkg.tests
}

// test reads a file that is a test of the build and not generated.
func (p *Program) test(pkg *Package, name string) *ast.File {
	if !strings.HasSuffix(name, "_test.go") {
		return nil
	}
	path := filepath.Join(pkg.Dir, name)
	src, err := os.ReadFile(path)
	if err != nil || name == model.GeneratedTests && bytes.HasPrefix(src, []byte(model.GeneratedHeader)) {
		return nil
	}
	if match, err := build.Default.MatchFile(pkg.Dir, name); err != nil || !match {
		return nil
	}
	file, _ := p.parseFile(path, src) // what could be read of it
	return file
}

// CheckTests returns the package as its own tests see it: checked once more, together with them, without the bodies
// of functions. What is wrong in them is tolerated.
func (p *Program) CheckTests(pkg *Package) *types.Package {
	tests := p.Tests(pkg)
	if len(tests) == 0 {
		return pkg.Types
	}
	config := p.config(importer{p: p}, func(types.Error) {})
	config.IgnoreFuncBodies = true
	files := append(pkg.Syntax[:len(pkg.Syntax):len(pkg.Syntax)], tests...)
	checked, _ := config.Check(pkg.Path, p.Fset, files, nil) // errors are tolerated
	return checked
}
