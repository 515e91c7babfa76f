// Package shop takes orders, and tells each customer's system about them by a webhook. The order and the webhook are
// written in one transaction; a relay sends the webhook afterwards.
//
// idem_gen.go and the SQL in ../migrations are generated from the directives, see ../main.go for how it is run.
package shop

//go:generate go run github.com/idem-go/idem/cmd/idem generate .
