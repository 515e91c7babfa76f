package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
	"github.com/idem-go/idem/templates"
)

// GroupText is the statement that writes the rows of many steps, with an array for each parameter of the one that writes
// a row. It is empty where an array is not known to carry what a parameter does.
func GroupText(table string, written []model.Column, key []string) string {
	var columns, values, arrays []string
	for _, c := range slices.Concat(FixedColumns, written) {
		if !inArray(c) {
			return ""
		}
		name := sqltext.Quote(c.Name)
		columns = append(columns, name)
		values = append(values, orDefault("v."+name, c))
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", len(arrays)+1, sqltext.ParameterType(c.SQLType)))
	}
	return templates.Render("insert_group.sql.tmpl", map[string]any{
		"Table": table, "Columns": columns, "Values": values, "Arrays": arrays, "Key": sqltext.QuoteAll(key),
	})
}

// inArray: a value of the column is the same on its own and as an element of an array. pgx would write some values to
// json in two ways, but not those that the runtime has marshalled.
func inArray(c model.Column) bool {
	return sqltext.IsElement(c.SQLType) && (c.Encode == model.JSON || !sqltext.IsJSON(c.SQLType))
}

// GroupField is the field with that statement; none without.
func GroupField(sql string) []jen.Code {
	if sql == "" {
		return nil
	}
	return []jen.Code{jen.Id("GroupSQL").Op(":").Add(Text(sql))}
}
