// Package schema knows the tables behind effects and outboxes as the database has them: what creates one, what leads
// from the table that idem.lock remembers to the one that the struct now asks for, and the migration files
// that hold both. Changes are additive or refused; a file that was written is never written again.
package schema
