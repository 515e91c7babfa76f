// Package templates holds the texts that the generator fills in: SQL statements and migrations. They are
// files of their own so that a person can read them as SQL.
//
// Whoever fills them in passes finished SQL fragments: quoted identifiers and checked types and
// expressions. The templates put fragments side by side; they never quote.
package templates
