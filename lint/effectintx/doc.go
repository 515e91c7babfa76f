// Package effectintx finds effects outside of the database while a transaction is open.
//
// # effectintx
//
// When the transaction rolls back the mail is sent all the same; when the commit fails after the call,
// a retry makes the call again. And while the other side thinks, the transaction holds its locks and
// its connection.
//
// Bad:
//
//	tx.Exec(ctx, `UPDATE tickets SET open = false WHERE id = $1`, id)
//	http.Post(hook, "application/json", body)
//	tx.Commit()
//
// Good:
//
//	tx.Exec(ctx, `INSERT INTO webhook_outbox …`) // a relay sends it
//	tx.Commit()
//
// Calls before the first statement or after the commit, building a request, and functions that are
// called later are fine.
package effectintx
