// Package conflicttarget finds conflict targets that do not fit the insert.
//
// # conflicttarget
//
// A target column that the statement does not insert never conflicts, so nothing is deduplicated. A
// target that is a part of the key of an effect, the run without the node, drops the rows of the other
// steps.
//
// Bad:
//
//	INSERT INTO ledger (run_id, node, cents) VALUES ($1, $2, $3) ON CONFLICT (run_id) DO NOTHING
//
// Good:
//
//	INSERT INTO ledger (run_id, node, cents) VALUES ($1, $2, $3) ON CONFLICT (run_id, node) DO NOTHING
//
// A constraint by its name, expressions, more columns than the pair and partial indexes are fine: the
// rule cannot see the table.
package conflicttarget
