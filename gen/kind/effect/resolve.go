package effect

import (
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
	"github.com/idem-go/idem/gen/sqltext"
)

// resolver resolves effects.
type resolver struct{ *resolve.Resolver }

// resolveEffect resolves a struct whose values are the rows of a table.
func resolveEffect(shared *resolve.Resolver, p directive.Placed) model.Declaration {
	r := resolver{shared}
	obj, structure, ok := r.Struct(p)
	if !ok {
		return nil
	}
	e := Effect{
		Type: obj.Name(), OnConflict: DoNothing,
		Doc: resolve.Synopsis(p.Doc, obj.Name()), Pos: r.Program.Position(p.Pos),
	}
	e.Schema, e.Table = r.Table(p, resolve.Snake(e.Type), sqltext.DerivedRoom)
	columns := r.Columns(p, structure, resolve.Rows{Reserved: resolve.OwnColumns})
	for _, c := range columns {
		e.Columns = append(e.Columns, c.Column)
	}
	r.key(p, &e, columns)
	r.conflict(p, &e, columns)
	r.Claim(p.Pos, "//idem:effect on "+e.Type, e.GeneratedNames())
	return e
}
