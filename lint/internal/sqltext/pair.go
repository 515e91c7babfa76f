package sqltext

import "slices"

// nodeColumns are what the step's column is called beside run_id.
var nodeColumns = []string{"node", "node_id", "step", "step_id", "activity_id"}

// NodeColumn returns the column that makes a pair with run_id, if the statement inserts both; or "".
func (s *Statement) NodeColumn() string {
	if !slices.Contains(s.Columns, "run_id") {
		return ""
	}
	for _, column := range nodeColumns {
		if slices.Contains(s.Columns, column) {
			return column
		}
	}
	return ""
}
