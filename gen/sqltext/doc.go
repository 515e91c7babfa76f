// Package sqltext knows how names, types and expressions that an author wrote become SQL text: how a name
// is quoted, which type a parameter is cast to, and which type or default expression is refused because
// it would not stay where it is put.
package sqltext
