// Package billing holds the handlers of a small payment service: a charge on a ledger, an invoice that is
// finalised once per order, an order whose receipt follows it, and a charge in a foreign currency. Each of
// them may run any number of times; what it does to the database happens once.
//
// idem_gen.go and the SQL in ../migrations are generated from the directives, see ../main.go for how it is
// run.
package billing

//go:generate go run github.com/idem-go/idem/cmd/idem generate .
