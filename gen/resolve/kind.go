package resolve

import (
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
)

// Kind is what this stage knows of a kind of directives.
type Kind struct {
	// Directives are how authors write it. A kind whose directives are all reserved for later needs nothing else.
	Directives []*directive.Spec
	// Imports are the packages that its generated code imports and that not all generated code does.
	Imports []string
	// Resolve makes what a directive declares out of syntax and types. What is wrong is reported to the resolver; nil
	// says that nothing can be made of it.
	Resolve func(r *Resolver, p directive.Placed) model.Declaration
}

// Kinds are those of a run, in the order in which their declarations come.
type Kinds []Kind

// Directives are all that authors may write.
func (k Kinds) Directives() directive.Registry {
	var all directive.Registry
	for _, kind := range k {
		all = append(all, kind.Directives...)
	}
	return all
}

// Imports are the packages that the code of each directive imports, by the directive's name.
func (k Kinds) Imports() map[string][]string {
	imports := map[string][]string{}
	for _, kind := range k {
		for _, s := range kind.Directives {
			imports[s.Name] = kind.Imports
		}
	}
	return imports
}

// of returns the place of the kind that a directive is of.
func (k Kinds) of(spec *directive.Spec) int {
	for i, kind := range k {
		for _, s := range kind.Directives {
			if s == spec {
				return i
			}
		}
	}
	panic("resolve: the directive " + spec.Name + " is of none of the kinds")
}
