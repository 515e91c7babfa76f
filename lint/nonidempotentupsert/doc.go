// Package nonidempotentupsert finds updates that add up when they are done again.
//
// # nonidempotentupsert
//
// SET hits = hits + 1 counts each execution and not each event. Code that runs again must set what it
// knows, or do the sum only once.
//
// Bad:
//
//	INSERT INTO page_hits AS t (page, hits) VALUES ($1, $2)
//	ON CONFLICT (page) DO UPDATE SET hits = t.hits + EXCLUDED.hits
//
// Good:
//
//	INSERT INTO applied_events (event_id) VALUES ($1) ON CONFLICT DO NOTHING
//	-- and only if that inserted a row, in the same transaction:
//	UPDATE page_hits SET hits = hits + $2 WHERE page = $1
//
// GREATEST, LEAST and COALESCE, a version in the WHERE clause, a sum that only runs when a keyed
// insert has inserted its row, and a sum in the transaction that completes the step are fine.
package nonidempotentupsert
