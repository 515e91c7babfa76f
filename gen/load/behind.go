package load

import (
	"go/types"
	"maps"
	"slices"
)

// behind returns a package that the program's imports know and that nothing of the program imports itself. It has
// the types that they speak of, which is all that a made up input needs of it.
func (p *Program) behind(path string) *types.Package {
	seen := map[*types.Package]bool{}
	var find func(pkg *types.Package) *types.Package
	find = func(pkg *types.Package) *types.Package {
		if pkg.Path() == path {
			return pkg
		}
		seen[pkg] = true
		for _, imported := range pkg.Imports() {
			if seen[imported] {
				continue
			}
			if found := find(imported); found != nil {
				return found
			}
		}
		return nil
	}
	for _, root := range slices.Sorted(maps.Keys(p.imported)) {
		if found := find(p.imported[root]); found != nil {
			if !found.Complete() { // elsewhere a check may read it
				found.MarkComplete() // as far as this program is concerned
			}
			return found
		}
	}
	return nil
}
