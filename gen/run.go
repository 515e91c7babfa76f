package gen

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/output"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/gen/resolve"
)

// Run generates, in memory. When something in the source, in idem.lock or in the way of a file must be put
// right by a person, the error is a diag.List with all of it.
func Run(ctx context.Context, o Options) (*Result, error) { return run(ctx, o, registry.Kinds) }

// run is [Run] with these kinds of directives.
func run(ctx context.Context, o Options, kinds kind.Kinds) (*Result, error) {
	dir, err := absolute(o.Dir)
	if err != nil {
		return nil, err
	}
	sources, noHarness, err := generate(ctx, dir, o, kinds)
	if err != nil {
		return nil, err
	}
	parts, err := divide(dir, newScope(dir, o.Patterns), sources, kinds)
	if err != nil {
		return nil, err
	}
	result := &Result{Packages: len(sources)}
	renamed := map[string]bool{}
	var list diag.List
	for _, p := range parts {
		err := p.run(o, result, renamed)
		if found, ok := errors.AsType[diag.List](err); ok {
			list = append(list, found...)
		} else if err != nil {
			return nil, err
		}
	}
	if len(list) > 0 {
		return nil, list.Sorted()
	}
	if err := checkRenames(o.Renames, renamed); err != nil {
		return nil, err
	}
	result.Notes = append(result.Notes, unchecked(sources, noHarness)...)
	result.Files = settle(result.Files)
	return result, nil
}

// settle sorts the files by path. A file that has come to another lock is no orphan of the old one.
func settle(files []output.File) []output.File {
	made := map[string]bool{}
	for _, f := range files {
		if f.State != output.Orphaned {
			made[f.Path] = true
		}
	}
	files = slices.DeleteFunc(files, func(f output.File) bool { return f.State == output.Orphaned && made[f.Path] })
	slices.SortFunc(files, func(a, b output.File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}

// source is a package with what was generated for it.
type source struct {
	model *model.Package
	files map[string][]byte // by name
	check func(files map[string][]byte) error
}

// generate resolves the packages, and emits the code of each. noHarness is why their tests cannot be checked.
func generate(ctx context.Context, dir string, o Options, kinds kind.Kinds) (sources []source, noHarness string, err error) {
	emitted := map[string][]byte{}
	resolution, err := resolve.Packages(ctx, dir, o.Patterns, kinds.Resolve(), tested(o, kinds.Lock()), func(p *model.Package) ([]byte, error) {
		code, err := emit.Unformatted(p)
		emitted[p.Path] = code
		return code, err
	})
	if err != nil {
		return nil, "", err
	}
	sources = make([]source, len(resolution.Packages))
	err = inParallel(len(sources), func(i int) error {
		p := resolution.Packages[i]
		code, err := emit.Format(p.Model, emitted[p.Model.Path])
		sources[i] = source{p.Model, map[string][]byte{emit.FileName: code}, p.Check}
		return err
	})
	return sources, resolution.NoHarness, err
}

// absolute is the folder's real path, as the go command gives it.
func absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
