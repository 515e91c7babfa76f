// Package ledger is what idem's measurements do: handlers that put one row on a ledger, each in another way, and a
// command that a relay sends. idem_gen.go and ../migrations are generated from the directives.
package ledger

//go:generate go tool idem generate --migrations ../migrations --tests=false .
