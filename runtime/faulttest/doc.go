// Package faulttest runs a handler with the faults that can befall it, and compares what is then in the database with
// what is there without any.
package faulttest
