package reminder

import (
	"time"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
	"github.com/idem-go/idem/gen/sqltext"
)

func resolveReminder(r *resolve.Resolver, p directive.Placed) model.Declaration {
	obj, structure, ok := r.Struct(p)
	if !ok || p.Node == nil {
		return nil
	}
	m := Reminder{
		Name: p.Node.Value.(string), Type: obj.Name(), After: directive.Value[time.Duration](p.Directive, "after"),
		Pos: r.Program.Position(p.Pos),
	}
	_, m.Table = r.Table(p, resolve.Snake(m.Type)+"_reminders", sqltext.DerivedRoom)
	for _, c := range r.Columns(p, structure, resolve.Rows{Reserved: resolve.OwnColumns}) {
		m.Columns = append(m.Columns, c.Column)
	}
	r.Claim(p.Pos, "//idem:reminder on "+m.Type, m.GeneratedNames())
	return m
}
