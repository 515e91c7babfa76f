package model

import (
	"slices"

	"github.com/idem-go/idem/gen/diag"
)

// Package is one Go package that bears directives.
type Package struct {
	Path string // import path
	Name string // package name
	Dir  string // absolute directory
	// Constraint is the build constraint of the files with directives, and of what is generated; empty without one.
	Constraint string
	// Names are the identifiers of the package's scope that idem did not generate, sorted: what a
	// generated name must not collide with and what an import must not be named like.
	Names []string
	// TestNames are the further identifiers that the package's own tests declare, sorted, for the same reasons.
	TestNames []string
	// Declarations are what the package's directives declare: kind by kind, those of one kind in [Declaration.Order].
	Declarations []Declaration
}

// Declaration is what one directive declares: plain data of a type that its kind has for it. The stages behind the
// model ask it what they must know, each by an interface of its own.
type Declaration interface {
	// At is where the directive stands.
	At() diag.Position
	// Order is what the declarations of a kind are sorted by.
	Order() string
	// Selector is how Go names what bears the directive: "Charge", "Billing.Finalize".
	Selector() string
	// GeneratedNames are the names that it adds to its package's scope.
	GeneratedNames() []string
	// Claims are the names that nothing else may have within one idem.lock, the most important first.
	Claims() []Claim
}

// Claim is a name that stands once within what one idem.lock is about.
type Claim struct {
	Space Space
	Name  string
	Owner string // what claims it, for people: "handler"
}

// Space is a set of names in which each stands once, called as people call one of them: "node", "table".
type Space string

// The spaces that several kinds claim names of. A kind may have spaces of its own.
const (
	Node  Space = "node"  // what a step in the database is of
	Table Space = "table" // schema and name, as SQL writes them
)

// All returns the declarations of a package that are of the type, or implement the interface, in their order.
func All[T Declaration](p *Package) []T {
	var found []T
	for _, d := range p.Declarations {
		if v, ok := d.(T); ok {
			found = append(found, v)
		}
	}
	return found
}

// GeneratedNames are all names that idem adds to the package's scope, sorted.
func (p *Package) GeneratedNames() []string {
	var names []string
	for _, d := range p.Declarations {
		names = append(names, d.GeneratedNames()...)
	}
	slices.Sort(names)
	return names
}

// Type is a Go type as it must be written in generated code.
type Type struct {
	// Expr is the type's Go expression in which every named type of another package is written as
	// ${import/path}.Name, and every named type of this package by its bare name:
	// "map[string]${github.com/acme/money}.Amount", "Page[Item]".
	Expr string
	// Imports maps each import path in Expr to the real name of its package.
	Imports map[string]string
}

// Display writes the type for people: example.com/money.Amount.
func (t Type) Display() string { return display.Replace(t.Expr) }
