// Package diag holds what the generator has to say about the source it reads: a position, a stable
// code, a message and a fix. Every stage adds to one [List]; all of it comes out together, sorted.
package diag
