// Package store is the runtime's side of its tables: the SQL, a file per subject, the schema that it is written for, and the
// [Session] in which a worker runs it. It decides nothing about steps; package failure says what an error of its
// statements means.
package store
