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
	for _, d := range model.All[model.Tabled](p) {
		checkTable(&list, d.Rows(), d.At())
	}
	if len(list) > 0 {
		return list.Sorted()
	}
	return nil
}

func checkTable(list *diag.List, t model.Rows, pos diag.Position) {
	report := func(err error) {
		if err != nil {
			list.Add(pos, codeName, "choose another name for table=", "table of %s: %v", t.Struct, err)
		}
	}
	report(sqltext.CheckName(t.Name, t.Room))
	if t.Schema != "" {
		report(sqltext.CheckName(t.Schema, 0))
	}
	if len(t.Columns) == 0 {
		report(fmt.Errorf("it has no columns"))
	}
	for _, c := range t.Columns {
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
