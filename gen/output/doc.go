// Package output compares what a run generated with what lies on disk, and writes it: all files or none,
// and only those that differ. What does not carry the generated header is never touched.
package output
