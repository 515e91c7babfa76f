package outbox

// Statements returns what relays run on a table again and again, for tests of their plans.
func Statements(t *Table) map[string]string {
	s := newStatements(t.Effect.Table, "")
	return map[string]string{"claim": t.ClaimSQL, "mark": s.mark, "marked": s.marked, "purge": s.purge}
}
