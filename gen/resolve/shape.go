package resolve

import (
	"go/types"

	"github.com/idem-go/idem/gen/model"
)

func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

func isUUID(t types.Type) bool {
	a, ok := t.Underlying().(*types.Array)
	if !ok || a.Len() != 16 {
		return false
	}
	b, ok := a.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

func isNilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}

// HoldsBytes reports whether a type is a slice of bytes that has no other form in the database.
func HoldsBytes(t types.Type) bool {
	known, named := knownType(t)
	return isBytes(t) && (!named || known.encode == model.JSON)
}

// IsPlainBytes reports whether a type is []byte itself, or json.RawMessage.
func IsPlainBytes(t types.Type) bool {
	return types.Identical(t, types.NewSlice(types.Typ[types.Byte])) || IsNamed(t, "encoding/json", "RawMessage")
}

// IsString reports whether the underlying type is a string.
func IsString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
