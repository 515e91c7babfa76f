package known

import (
	"go/types"
	"strings"
)

// Path returns an import path without the elements that are a major version.
func Path(path string) string {
	if !strings.Contains(path, "/v") && !strings.Contains(path, ".v") {
		return path
	}
	elements := strings.Split(path, "/")
	kept := elements[:0]
	for i, e := range elements {
		// math/rand/v2 is a package of its own.
		if i > 0 && len(e) > 1 && e[0] == 'v' && strings.Trim(e[1:], "0123456789") == "" && elements[0] != "math" {
			continue
		}
		kept = append(kept, e)
	}
	return strings.Join(kept, "/")
}

// OfFunc returns the symbol of a function or method, or "" for one without a package.
func OfFunc(f *types.Func) string {
	if f.Pkg() == nil {
		return ""
	}
	f = f.Origin()
	if recv := f.Signature().Recv(); recv != nil {
		if named := Named(recv.Type()); named != nil {
			return OfType(named) + "." + f.Name()
		}
		return ""
	}
	return Path(f.Pkg().Path()) + "." + f.Name()
}

// OfType returns the symbol of a named type.
func OfType(named *types.Named) string {
	obj := named.Obj()
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return Path(obj.Pkg().Path()) + "." + obj.Name()
}

// OfField returns the symbol of field i of a struct type, or "" when the struct has no name.
func OfField(t types.Type, i int) string {
	named := Named(t)
	if named == nil {
		return ""
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok || i >= s.NumFields() {
		return ""
	}
	return OfType(named) + "." + s.Field(i).Name()
}

// Named returns the named type behind aliases and one pointer, or nil.
func Named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// Type finds the line of a kind for a type.
func (t *Table) Type(k Kind, typ types.Type) *Entry {
	if named := Named(typ); named != nil {
		return t.Find(k, OfType(named))
	}
	return nil
}

// Func finds the line of a kind for a function.
func (t *Table) Func(k Kind, f *types.Func) *Entry {
	if f == nil {
		return nil
	}
	if symbol := OfFunc(f); symbol != "" {
		return t.Find(k, symbol)
	}
	return nil
}
