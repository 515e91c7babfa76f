package resolve

import (
	"go/token"
	"go/types"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// effect resolves a struct whose values are the rows of a table.
func (r *resolver) effect(p directive.Placed) {
	obj, _ := r.pkg.Info.Defs[p.Type.Name].(*types.TypeName)
	if obj == nil || !r.nameable(p, p.Type.Name) {
		return
	}
	structure, ok := r.rowStruct(p, obj)
	if !ok {
		return
	}
	e := model.Effect{
		Type: obj.Name(), OnConflict: model.DoNothing,
		Doc: synopsis(p.Doc, obj.Name()), Pos: r.prog.Position(p.Pos),
	}
	e.Schema, e.Table = r.table(p, snake(e.Type), sqltext.DerivedRoom)
	columns := r.columns(p, structure, effectColumns)
	for _, c := range columns {
		e.Columns = append(e.Columns, c.Column)
	}
	r.key(p, &e, columns)
	r.conflict(p, &e, columns)
	r.names.claim(p.Pos, "//idem:effect on "+e.Type, e.GeneratedNames())
	r.model.Effects = append(r.model.Effects, e)
}

// rowStruct gives the struct whose values become the rows of a table.
func (r *resolver) rowStruct(p directive.Placed, obj *types.TypeName) (*types.Struct, bool) {
	switch {
	case p.Type.TypeParams != nil:
		r.add(p.Type.TypeParams.Opening, "generic-effect", "define a struct for each table", "%s has type parameters; a table has one form", obj.Name())
		return nil, false
	case p.Type.Assign.IsValid():
		r.add(p.Type.Assign, "alias-effect", "define a struct type of this package", "%s is an alias", obj.Name())
		return nil, false
	case isInvalidBasic(obj.Type().Underlying()):
		r.undefined(p.Type.Type, obj.Name())
		return nil, false
	}
	structure, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		r.add(p.Pos, "wrong-target", "put it directly above a struct", "//idem:%s stands on type %s, which is no struct", p.Spec.Name, obj.Name())
	}
	return structure, ok
}

// table gives the table that the directive names, or else the default in the search path's schema. room is what the
// names that idem derives from it add.
func (r *resolver) table(p directive.Placed, byDefault string, room int) (schema, name string) {
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

func (r *resolver) sqlName(pos token.Pos, code, what, name string, room int) bool {
	err := sqltext.CheckName(name, room)
	if err != nil {
		r.add(pos, code, "choose another name", "%s: %v", what, err)
	}
	return err == nil
}
