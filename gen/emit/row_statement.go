package emit

import (
	"fmt"
	"slices"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// FixedColumns are what each row begins with.
var FixedColumns = []model.Column{
	{Name: "run_id", SQLType: "text"}, {Name: "node", SQLType: "text"}, {Name: "payload_digest", SQLType: "bytea"},
}

// Parameters are the values of a row.
func Parameters(written []model.Column) []string {
	var values []string
	for i, c := range slices.Concat(FixedColumns, written) {
		values = append(values, orDefault(fmt.Sprintf("$%d::%s", i+1, sqltext.ParameterType(c.SQLType)), c))
	}
	return values
}

// orDefault is a column's value, for which its default stands in.
func orDefault(value string, c model.Column) string {
	if c.Default == "" {
		return value
	}
	return fmt.Sprintf("COALESCE(%s, %s)", value, c.Default)
}

// ColumnNames are the names of the columns.
func ColumnNames(columns []model.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}
