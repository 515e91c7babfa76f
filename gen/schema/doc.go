// Package schema knows the tables behind declarations as the database has them: what creates one, what leads
// from the table that idem.lock remembers to the one that the struct now asks for, and the migration files
// that hold both. Changes are additive or refused; a file that was written is never written again.
//
// By itself it knows tables of rows under a key. What a kind makes of its tables beyond that is a [Form].
package schema
