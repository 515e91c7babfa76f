package emit

import (
	"fmt"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// The codes of what emit has to say about a column or a table.
const (
	codeName    = "bad-sql-name"
	codeType    = "bad-sql-type"
	codeDefault = "bad-sql-default"
)

// validate is the last look at the author's words before they become SQL: whatever the stages before let
// through, a name stays a name, a type a type and a default one expression.
func validate(p *model.Package) error {
	var list diag.List
	for _, e := range p.Effects {
		checkTable(&list, table{e.Type, e.Schema, e.Table, e.Columns, sqltext.DerivedRoom, e.Pos})
	}
	for _, o := range p.Outboxes {
		checkTable(&list, table{o.Type, o.Schema, o.Table, o.Columns, sqltext.OutboxRoom, o.Pos})
	}
	if len(list) > 0 {
		return list.Sorted()
	}
	return nil
}

// table is what is checked of an effect's or an outbox's table. room is what the names derived from its own add.
type table struct {
	goType, schema, name string
	columns              []model.Column
	room                 int
	pos                  diag.Position
}

func checkTable(list *diag.List, t table) {
	report := func(err error) {
		if err != nil {
			list.Add(t.pos, codeName, "choose another name for table=", "table of %s: %v", t.goType, err)
		}
	}
	report(sqltext.CheckName(t.name, t.room))
	if t.schema != "" {
		report(sqltext.CheckName(t.schema, 0))
	}
	if len(t.columns) == 0 {
		report(fmt.Errorf("it has no columns"))
	}
	for _, c := range t.columns {
		checkColumn(list, c)
	}
}

func checkColumn(list *diag.List, c model.Column) {
	if err := sqltext.CheckName(c.Name, 0); err != nil {
		list.Add(c.Pos, codeName, "choose another name in the db tag", "column of field %s: %v", c.Field, err)
	}
	if err := sqltext.CheckType(c.SQLType); err != nil {
		list.Add(c.Pos, codeType, "type: takes one type, such as type:numeric(12,2)", "type of column %q: %v", c.Name, err)
	}
	if c.Default == "" {
		return
	}
	if err := sqltext.CheckExpression(c.Default); err != nil {
		list.Add(c.Pos, codeDefault, "default: takes one SQL expression, such as default:now()",
			"default of column %q: %v", c.Name, err)
	}
}
