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
		checkTable(&list, e)
		for _, c := range e.Columns {
			checkColumn(&list, c)
		}
	}
	if len(list) > 0 {
		return list.Sorted()
	}
	return nil
}

func checkTable(list *diag.List, e model.Effect) {
	report := func(err error) {
		if err != nil {
			list.Add(e.Pos, codeName, "choose another name for table=", "table of %s: %v", e.Type, err)
		}
	}
	report(sqltext.CheckName(e.Table, sqltext.DerivedRoom))
	if e.Schema != "" {
		report(sqltext.CheckName(e.Schema, 0))
	}
	if len(e.Columns) == 0 {
		report(fmt.Errorf("it has no columns"))
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
