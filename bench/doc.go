// Command bench measures idem beside its peers and beside bare loops of SQL: the same durable work on one throwaway
// Postgres. See README.md for what each measurement is, and for what the figures do not say.
package main
