// Package model is what the generator knows about a package once its source has been read: plain,
// serialisable data. The stages before it (load, resolve) know go/ast and go/types, the stages after
// it (emit, output) know Go code and SQL; this package knows neither, and imports nothing of theirs.
package model
