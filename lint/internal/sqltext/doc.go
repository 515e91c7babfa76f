// Package sqltext reads as much of a SQL statement as the rules ask about: its verb, its table, which
// placeholder fills which column, the conflict clause, the assignments. It is no parser of SQL: what it
// does not understand it leaves out, and the rules are silent about what is left out.
package sqltext
