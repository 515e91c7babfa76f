package sqltext

// Names that idem derives from every table's name. DerivedRoom is what the longest of them adds.

// DerivedRoom is how many bytes a table's name must leave for the names derived from it.
const DerivedRoom = len("_payload_check")

// Guard names the CHECK constraint that refuses a second payload under a key.
func Guard(table string) string { return table + "_payload_check" }

// KeyConstraint names the constraint that holds one row per key.
func KeyConstraint(table string) string { return table + "_idem_key" }

// PrimaryKey names the primary key of a table with an identity column.
func PrimaryKey(table string) string { return table + "_pkey" }
