package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"

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
	for _, h := range p.Handlers {
		if err := handler(f, h); err != nil {
			return nil, fmt.Errorf("package %s: %w", p.Path, err)
		}
	}
	for _, e := range p.Effects {
		effect(f, e)
	}
	for _, o := range p.Outboxes {
		outbox(f, o)
	}
	for _, v := range p.Providers {
		if err := provider(f, p, v); err != nil {
			return nil, fmt.Errorf("package %s: %s: %w", p.Path, v.Selector(), err)
		}
	}
	return render(p, f)
}

func render(p *model.Package, f *jen.File) ([]byte, error) {
	var source bytes.Buffer
	if err := f.Render(&source); err != nil {
		return nil, fmt.Errorf("package %s: %w", p.Path, err)
	}
	return groupImports(source.Bytes()), nil
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
func newFile(p *model.Package, real map[string]string) *jen.File {
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
	return f
}

// imports maps the path of every import that the file may need to its real name.
func imports(p *model.Package) map[string]string {
	real := map[string]string{runtimePath: "runtime", "time": "time"}
	for _, h := range p.Handlers {
		maps.Copy(real, h.In.Imports)
		if h.Out != nil {
			maps.Copy(real, h.Out.Imports)
		}
	}
	if len(p.Effects)+len(p.Outboxes) > 0 {
		real[implPath] = "idemimpl"
	}
	if len(p.Outboxes) > 0 {
		real["context"], real[poolPath], real[outboxPath] = "context", "pgxpool", "outbox"
	}
	for _, v := range p.Providers {
		real[providerPath] = "provider"
		maps.Copy(real, v.Req.Imports)
		maps.Copy(real, v.Receipt.Imports)
	}
	return real
}
