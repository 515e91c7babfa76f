package resolve

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Signature is a function whose parameters and results are checked.
type Signature struct {
	*Resolver
	Decl *ast.FuncDecl
	Form string
	Role string // what the function is to another declaration, as people say it; empty for one with a directive
}

// Who names the function.
func (s *Signature) Who() string { return s.Decl.Name.Name + s.Role }

// Slot is one parameter or result: its type, and the type's syntax.
type Slot struct {
	Expr ast.Expr
	Type types.Type
}

// Wrong reports what is wrong with the function. Without a fix, its form is one.
func (s *Signature) Wrong(pos token.Pos, fix, format string, args ...any) {
	if fix == "" {
		fix = "write " + s.Form
	}
	s.Add(pos, "signature", fix, "%s: "+format, append([]any{s.Who()}, args...)...)
}

// Slots pairs each variable of a tuple with the syntax of its type.
func Slots(list *ast.FieldList, tuple *types.Tuple) []Slot {
	var slots []Slot
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for range max(len(field.Names), 1) {
			if len(slots) < tuple.Len() {
				slots = append(slots, Slot{field.Type, tuple.At(len(slots)).Type()})
			}
		}
	}
	return slots
}

// IsNamed reports whether a type is the one of that name in the package.
func IsNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path
}

// IsError reports whether a type is the predeclared error.
func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// Count writes a number of things: "1 result", "2 results".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
