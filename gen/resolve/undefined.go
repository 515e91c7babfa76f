package resolve

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Defined reports a type that does not exist, at the name that is undefined.
func (r *Resolver) Defined(expr ast.Expr, t types.Type, what string) bool {
	if !IsInvalid(t) {
		return true
	}
	r.Undefined(expr, what)
	return false
}

// Undefined reports why the type that an expression names is invalid.
func (r *Resolver) Undefined(expr ast.Expr, what string) {
	pos, why, fix := r.whyInvalid(expr)
	r.Add(pos, "undefined-type", fix, "the type of %s is not valid: %s", what, strings.Join(strings.Fields(why), " "))
}

// whyInvalid finds the reason in the errors of the check: at the expression itself, in an import that
// failed, or in the declaration that the expression names.
func (r *Resolver) whyInvalid(expr ast.Expr) (pos token.Pos, why, fix string) {
	if err := r.errorIn(expr); err != nil {
		return err.Pos, err.Msg, "define it, or correct the name"
	}
	pos, why, fix = expr.Pos(), types.ExprString(expr), "correct it there"
	ast.Inspect(expr, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := r.Package.Info.Uses[id].(type) {
		case *types.PkgName:
			if err := r.importError(obj); err != nil {
				pos, why, fix = id.Pos(), err.Msg, "correct the import, or add its module"
			}
		case *types.TypeName:
			if decl := r.declaration(obj); decl != nil && IsInvalid(obj.Type()) {
				pos, why = id.Pos(), id.Name+" is not valid"
				if err := r.errorIn(decl); err != nil {
					why += " (" + err.Msg + ")"
				}
			}
		}
		return true
	})
	return pos, why, fix
}

// errorIn returns the first error of the check inside a piece of syntax.
func (r *Resolver) errorIn(n ast.Node) *types.Error {
	for i := range r.Package.Errors {
		if e := &r.Package.Errors[i]; n.Pos() <= e.Pos && e.Pos < n.End() {
			return e
		}
	}
	return nil
}

// importError returns the error of the import that declares a package name, if it failed.
func (r *Resolver) importError(name *types.PkgName) *types.Error {
	for _, file := range r.Package.Syntax {
		for _, spec := range file.Imports {
			if spec.Pos() <= name.Pos() && name.Pos() < spec.End() {
				return r.errorIn(spec)
			}
		}
	}
	return nil
}

// declaration finds the syntax of a type of this package.
func (r *Resolver) declaration(obj *types.TypeName) ast.Node {
	for _, file := range r.Package.Syntax {
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Pos() <= obj.Pos() && obj.Pos() < gen.End() {
				return gen
			}
		}
	}
	return nil
}

// IsInvalid looks for an invalid type in all that a type is written with, not in the fields of named
// structs.
func IsInvalid(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Alias:
		return IsInvalid(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if IsInvalid(arg) {
				return true
			}
		}
		return isInvalidBasic(t.Underlying())
	case *types.Pointer:
		return IsInvalid(t.Elem())
	case *types.Slice:
		return IsInvalid(t.Elem())
	case *types.Array:
		return IsInvalid(t.Elem())
	case *types.Map:
		return IsInvalid(t.Key()) || IsInvalid(t.Elem())
	case *types.Chan:
		return IsInvalid(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if IsInvalid(f.Type()) {
				return true
			}
		}
	}
	return false
}

func isInvalidBasic(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Invalid
}
