package resolve

import (
	"iter"
	"slices"

	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/model"
)

// Resolved is one package whose directives are right.
type Resolved struct {
	Package *load.Package
	Model   *model.Package
}

// Packages resolves the packages of a program one after the other, in import order. The next one is checked only when
// it is asked for: what was made a part of a package until then ([load.Program.Join]) is there for those that import
// it. When the source is at fault, the last thing that comes is an error: a [diag.List] with everything that is wrong.
func Packages(program *load.Program, kinds Kinds) iter.Seq2[*Resolved, error] {
	return func(yield func(*Resolved, error) bool) {
		list := slices.Clone(program.Wrong)
		var scopes []scoped
		for _, pkg := range program.Packages {
			program.Check(pkg)
			r := newResolver(program, pkg)
			m := r.resolve(kinds)
			list = append(list, r.list...)
			scopes = append(scopes, scoped{lockRoot(pkg.Dir, pkg.ModuleDir), m})
			if len(list) > 0 {
				continue // the run fails; the packages behind are only checked
			}
			if !yield(&Resolved{pkg, m}, nil) {
				return
			}
		}
		if list = append(list, acrossPackages(scopes)...); len(list) > 0 {
			yield(nil, list.Sorted())
		}
	}
}
