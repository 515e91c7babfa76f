package load

import (
	"context"
	"fmt"
	"go/types"
	"os"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// importAll loads the types of packages, from the go command's export data. It asks only for the files with that
// data and reads them here: packages.Load would have the go command describe all packages behind as well, of which
// nothing is needed. Where that does not do, packages.Load makes what it can, for all of them: a type that was loaded
// twice is two types.
func (p *Program) importAll(ctx context.Context, paths []string) error {
	listed, err := p.list(ctx, packages.NeedName|packages.NeedExportFile, paths)
	if err == nil && !p.readExports(listed) {
		listed, err = p.list(ctx, packages.NeedName|packages.NeedTypes, paths)
	}
	if err != nil {
		return fmt.Errorf("cannot load what the packages import: %w", err)
	}
	for _, l := range listed {
		switch {
		case l.Name != "" && l.Types != nil:
			p.imported[l.PkgPath] = l.Types
		case len(l.Errors) > 0:
			p.missing[l.PkgPath] = l.Errors[0].Msg
		}
	}
	return nil
}

func (p *Program) list(ctx context.Context, mode packages.LoadMode, paths []string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{Context: ctx, Dir: p.dirs[0], Mode: mode, Fset: p.Fset}, paths...)
}

// readExports gives the packages that exist their types. It reports false when one has no export data that can be
// read, as when it does not compile.
func (p *Program) readExports(listed []*packages.Package) bool {
	shared := map[string]*types.Package{}
	for _, l := range listed {
		if l.Name == "" {
			continue
		}
		pkg, err := p.readExport(l, shared)
		if err != nil {
			return false
		}
		l.Types = pkg
	}
	return true
}

// readExport reads one file of export data. What it says of other packages is shared with the other files.
func (p *Program) readExport(l *packages.Package, shared map[string]*types.Package) (*types.Package, error) {
	file, err := os.Open(l.ExportFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	//lint:ignore SA1019 the files of go commands before 1.28 are archives, which Read alone does not take
	data, err := gcexportdata.NewReader(file)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(data, p.Fset, shared, l.PkgPath)
}
