package model

// KeyColumns are the columns under which a row is written once, in the order of the table's constraint.
func (e Effect) KeyColumns() []string {
	switch {
	case len(e.Key) > 0:
		return e.Key
	case e.Item != "":
		return []string{"run_id", "node", e.Item}
	}
	return []string{"run_id", "node"}
}
