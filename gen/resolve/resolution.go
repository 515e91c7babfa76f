package resolve

import "github.com/idem-go/idem/gen/model"

// Resolution is what the directives of a run say, once all of it is right.
type Resolution struct {
	Packages []*Resolved // in import order
	// NoHarness says why the package that generated tests call could not be loaded; empty: it was, or is not
	// needed. Then tests are not checked: a module that vendors gets it when tests ask for it.
	NoHarness string
}

// Resolved is one package that bears directives.
type Resolved struct {
	Model *model.Package
	// Check type-checks the package together with generated Go files (name to content), the bodies of
	// the generated functions included. An error is a mistake of idem and tells the place. The packages of
	// one resolution may be checked side by side.
	Check func(generated map[string][]byte) error
}
