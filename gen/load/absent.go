package load

import (
	"go/ast"
	"go/build"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/scan"
)

// Absent is a file that may bear directives and that a run cannot take them from.
type Absent struct {
	Pos   diag.Position // of the first directive, else of the file
	Dir   string        // the file's folder
	Why   string        // "it is not of this build (windows)"
	names []string      // what the directives stand on, as [Absent.MayDeclare] is asked; nil when that is not known
}

// MayDeclare reports whether one of the file's directives may stand on what Go names so: "Charge", "Billing.Finalize".
func (a Absent) MayDeclare(selector string) bool {
	return a.names == nil || slices.Contains(a.names, selector)
}

// readExcluded finds the directives in the files of a package that are not of this build.
func (p *Program) readExcluded(pkg *Package, registry directive.Registry) {
	for _, f := range pkg.Excluded {
		if a, found := p.absent(f, registry); found {
			p.Absent = append(p.Absent, a)
		}
	}
}

// absent reads a file of another build; false when no directive stands in it.
func (p *Program) absent(f scan.File, registry directive.Registry) (Absent, bool) {
	a := Absent{Pos: p.start(f), Dir: filepath.Dir(f.Path), Why: "it is not of this build"}
	file, err := p.parseFile(f.Path, f.Src)
	if c := Constraint(f.Path, file); c != "" {
		a.Why += " (" + c + ")"
	}
	directives := directive.All(file)
	if len(directives) > 0 {
		a.Pos = p.Position(directives[0].Slash)
	}
	if err != nil {
		return a, f.Spells()
	}
	a.names = []string{}
	for _, placed := range registry.File(p.Fset, file, func(token.Pos, string, string, string) {}) {
		a.names = append(a.names, bearer(placed))
	}
	return a, len(directives) > 0
}

// bearer is how Go names what a directive stands on.
func bearer(d directive.Placed) string {
	switch {
	case d.Type != nil:
		return d.Type.Name.Name
	case d.Func == nil:
		return ""
	case d.Func.Recv == nil || len(d.Func.Recv.List) == 0:
		return d.Func.Name.Name
	}
	receiver := ""
	ast.Inspect(d.Func.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && receiver == "" {
			receiver = id.Name
		}
		return receiver == ""
	})
	return receiver + "." + d.Func.Name.Name
}

// refuseTests reports the directives in the package's tests.
func (p *Program) refuseTests(pkg *Package) {
	for _, f := range pkg.Tests {
		file, _ := p.parseFile(f.Path, f.Src) // what could be read of it
		directive.RefuseTest(file, func(pos token.Pos, code, fix, message string) {
			p.Wrong.Add(p.Position(pos), code, fix, "%s", message)
		})
	}
}

// start is the first place of a file.
func (p *Program) start(f scan.File) diag.Position {
	return diag.Position{File: p.relative(f.Path), Line: 1, Column: 1}
}

// isOfThisBuild reports whether a file is, as far as its name and its //go:build line say and no tags were asked for.
func isOfThisBuild(path string) bool {
	match, err := build.Default.MatchFile(filepath.Split(path))
	return err != nil || match
}

// Hidden returns the files in a folder that may bear directives, for a folder of which the run has read none. What
// cannot be parsed and is of any build is in the list of what is wrong.
func (p *Program) Hidden(dir string, registry directive.Registry) (hidden []Absent, wrong diag.List, err error) {
	files, err := scan.Folder(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		at := p.start(f)
		if f.Err != nil {
			wrong.Add(at, "syntax", "", "%s", unreadable(f.Err))
			continue
		}
		file, err := p.parseFile(f.Path, f.Src)
		constraint := Constraint(f.Path, file)
		if err != nil && (constraint == "" || isOfThisBuild(f.Path)) {
			wrong = append(wrong, p.syntax(err)...)
			continue
		}
		if a, found := p.absent(f, registry); found || err != nil {
			if constraint == "" {
				a.Why = "the go command lists no such package here"
			}
			hidden = append(hidden, a)
		}
	}
	return hidden, wrong, nil
}
