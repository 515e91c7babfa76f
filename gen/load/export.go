package load

import (
	"context"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// importAll loads the types of packages, from the go command's export data. It asks only for the files with that
// data and reads them here: packages.Load would have the go command describe all packages behind as well, of which
// nothing is needed. Where a package does not compile and so has no such file, packages.Load makes types of its
// source; it does so for all packages then, since a type that was loaded twice is two types.
func (p *Program) importAll(ctx context.Context, paths []string) error {
	listed, err := p.list(ctx, packages.NeedName|packages.NeedExportFile, paths)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(listed, isWithoutExport) {
		if listed, err = p.list(ctx, packages.NeedName|packages.NeedTypes, paths); err != nil {
			return err
		}
	} else if err := p.readExports(listed); err != nil {
		return err
	}
	for _, l := range listed {
		there := l.Name != "" && l.Types != nil
		if there {
			p.imported[l.PkgPath] = l.Types
		}
		if len(l.Errors) > 0 && (!there || strings.HasPrefix(l.Errors[0].Msg, CouldNotImport)) {
			p.missing[l.PkgPath] = l.Errors[0].Msg
		}
	}
	return nil
}

// CouldNotImport is what go/types says first of a package that is there, when one that it imports is not.
const CouldNotImport = "could not import "

func (p *Program) list(ctx context.Context, mode packages.LoadMode, paths []string) ([]*packages.Package, error) {
	listed, err := packages.Load(&packages.Config{Context: ctx, Dir: p.dirs[0], Mode: mode, Fset: p.Fset}, paths...)
	if err != nil {
		return nil, fmt.Errorf("cannot load what the packages import: %w", err)
	}
	return listed, nil
}

// isWithoutExport tells a package that is there and that the go command could not compile.
func isWithoutExport(l *packages.Package) bool { return l.Name != "" && l.ExportFile == "" }

// readExports gives the packages that exist their types.
func (p *Program) readExports(listed []*packages.Package) error {
	shared := map[string]*types.Package{}
	for _, l := range listed {
		if l.Name == "" {
			continue
		}
		pkg, err := p.readExport(l, shared)
		if err != nil {
			return fmt.Errorf("cannot read the export data of %s: %w", l.PkgPath, err)
		}
		l.Types = pkg
	}
	return nil
}

// readExport reads one file of export data. What it says of other packages is shared with the other files.
func (p *Program) readExport(l *packages.Package, shared map[string]*types.Package) (*types.Package, error) {
	file, err := os.Open(l.ExportFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := gcexportdata.NewReader(file)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(data, p.Fset, shared, l.PkgPath)
}
