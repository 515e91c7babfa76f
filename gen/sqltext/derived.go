package sqltext

// Names that idem derives from a table's name. DerivedRoom is what the longest of them adds.

// DerivedRoom is how many bytes a table's name must leave for the names derived from it.
const DerivedRoom = len("_payload_check")

// OutboxRoom is the same for a table of commands.
const OutboxRoom = len("_finished_check")

// Guard names the CHECK constraint that refuses a second payload under a key.
func Guard(table string) string { return table + "_payload_check" }

// KeyConstraint names the constraint that holds one row per key.
func KeyConstraint(table string) string { return table + "_idem_key" }

// PrimaryKey names the primary key of a table with an identity column.
func PrimaryKey(table string) string { return table + "_pkey" }

// OutboxCheck names a CHECK constraint of a table of commands; on is state, finished, claim or receipt.
func OutboxCheck(table, on string) string { return table + "_" + on + "_check" }

// OutboxIndex names an index of a table of commands; of is pending or finished.
func OutboxIndex(table, of string) string { return table + "_" + of + "_idx" }
