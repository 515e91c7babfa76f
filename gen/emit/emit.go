package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/output"
)

// FileName is the name of the Go file that idem writes into a package.
const FileName = model.GeneratedFile

// Go writes the package's idem_gen.go. The error is a diag.List when something that the author wrote
// cannot stand in SQL.
func Go(p *model.Package) ([]byte, error) {
	source, err := Unformatted(p)
	if err != nil {
		return nil, err
	}
	return Format(p, source)
}

// Unformatted is [Go] without [Format], which takes longer than all else and can be done later.
func Unformatted(p *model.Package) ([]byte, error) {
	if err := validate(p); err != nil {
		return nil, err
	}
	f := newFile(p, imports(p))
	for _, d := range model.All[Declaration](p) {
		if err := d.Emit(f); err != nil {
			return nil, fmt.Errorf("package %s: %w", p.Path, err)
		}
	}
	return f.render()
}

func (f *File) render() ([]byte, error) {
	var source bytes.Buffer
	if err := f.Render(&source); err != nil {
		return nil, fmt.Errorf("package %s: %w", f.Package.Path, err)
	}
	return constrained(f.Package, groupImports(source.Bytes())), nil
}

// constrained puts the package's build constraint below the header, by which idem knows the file.
func constrained(p *model.Package, source []byte) []byte {
	if p.Constraint == "" {
		return source
	}
	header, rest, _ := bytes.Cut(source, []byte("\n"))
	return slices.Concat(header, []byte("\n\n//go:build "+p.Constraint+"\n"), rest)
}

// Format formats generated code of the package as gofmt does.
func Format(p *model.Package, source []byte) ([]byte, error) {
	formatted, err := format.Source(source)
	if err != nil {
		return nil, fmt.Errorf("package %s: the generated code does not parse: %w\n%s", p.Path, err, source)
	}
	return formatted, nil
}

// newFile is an empty file in which every import already has its name. real maps their paths to the real names.
func newFile(p *model.Package, real map[string]string) *File {
	f := jen.NewFilePathName(p.Path, p.Name)
	f.NoFormat = true // it is formatted once, after the imports are grouped
	f.HeaderComment(output.Header)
	for path, name := range newNamer(p, real).imports {
		if name == real[path] {
			f.ImportName(path, name)
		} else {
			f.ImportAlias(path, name)
		}
	}
	return &File{f, p}
}

// imports maps the path of every import that the file may need to its real name.
func imports(p *model.Package) map[string]string {
	real := map[string]string{"time": "time"}
	maps.Copy(real, model.Runtime)
	for _, d := range model.All[Declaration](p) {
		maps.Copy(real, d.Imports())
	}
	return real
}
