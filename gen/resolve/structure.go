package resolve

import (
	"go/token"
	"go/types"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/sqltext"
)

// Struct returns the struct that a directive stands on, whose values become the rows of a table; false when it cannot
// be one, which is reported.
func (r *Resolver) Struct(p directive.Placed) (*types.TypeName, *types.Struct, bool) {
	obj, _ := r.Package.Info.Defs[p.Type.Name].(*types.TypeName)
	if obj == nil || !r.nameable(p, p.Type.Name) {
		return nil, nil, false
	}
	structure, ok := r.rowStruct(p, obj)
	return obj, structure, ok
}

// rowStruct returns the struct whose values become the rows of a table.
func (r *Resolver) rowStruct(p directive.Placed, obj *types.TypeName) (*types.Struct, bool) {
	switch {
	case p.Type.TypeParams != nil:
		r.Add(p.Type.TypeParams.Opening, "generic-effect", "define a struct for each table", "%s has type parameters; a table has one form", obj.Name())
		return nil, false
	case p.Type.Assign.IsValid():
		r.Add(p.Type.Assign, "alias-effect", "define a struct type of this package", "%s is an alias", obj.Name())
		return nil, false
	case isInvalidBasic(obj.Type().Underlying()):
		r.Undefined(p.Type.Type, obj.Name())
		return nil, false
	}
	structure, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		r.Add(p.Pos, "wrong-target", "put it directly above a struct", "//idem:%s stands on type %s, which is no struct", p.Spec.Name, obj.Name())
	}
	return structure, ok
}

// Table returns the table that the directive names, or else the default in the search path's schema. room is what the
// names that idem derives from it add.
func (r *Resolver) Table(p directive.Placed, byDefault string, room int) (schema, name string) {
	table, pos := directive.Table{Name: byDefault}, p.Pos
	if arg := p.Arg("table"); arg != nil {
		table, pos = arg.Value.(directive.Table), arg.ValuePos
	}
	r.sqlName(pos, "bad-table", "table", table.Name, room)
	if table.Schema != "" {
		r.sqlName(pos, "bad-table", "schema", table.Schema, 0)
	}
	return table.Schema, table.Name
}

func (r *Resolver) sqlName(pos token.Pos, code, what, name string, room int) bool {
	err := sqltext.CheckName(name, room)
	if err != nil {
		r.Add(pos, code, "choose another name", "%s: %v", what, err)
	}
	return err == nil
}
