// Package model is what the stages of the generator agree on: plain, serialisable data about a package whose source has
// been read. The stages before it (load, resolve) know go/ast and go/types, the stages after it (emit, lock, schema,
// output) know Go code and SQL; this package knows neither, and imports nothing of theirs.
//
// It does not know which directives there are either. What one declares is a [Declaration] of its kind's own, and the
// packages below gen/kind have one type each.
package model
