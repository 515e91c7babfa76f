// Package clinic sends text messages to patients: reminders of appointments, which can be taken back, and codes. It does
// so by the API of a carrier, whose answers can get lost. A handler may run any number of times; a message goes out once,
// or it stays visibly unknown whether it did.
//
// idem_gen.go and the SQL in ../migrations are generated from the directives, see ../main.go for how it is run.
package clinic

//go:generate go run github.com/idem-go/idem/cmd/idem generate .
