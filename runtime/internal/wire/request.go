package wire

import (
	"fmt"
	"strings"
)

// Request is what a client sends for one ReadyForQuery in return.
type Request struct {
	Connection    int      // which of the proxy's connections, in the order in which they came, from 1
	Statements    []string // the SQL that it executes, prepared earlier or not
	Prepares      []string // the SQL that it prepares
	InTransaction bool     // whether the last reply left the connection inside a transaction block
}

// String shows the statements, one a line.
func (r Request) String() string {
	if len(r.Statements) == 0 {
		return fmt.Sprintf("connection %d: prepare %s", r.Connection, strings.Join(r.Prepares, "\n"))
	}
	return fmt.Sprintf("connection %d: %s", r.Connection, strings.Join(r.Statements, "\n"))
}

// A Match picks requests. It is called once for each request until it has picked one, and never twice at the same time, so
// that it may keep count.
type Match func(Request) bool

// Any picks every request.
func Any(Request) bool { return true }

// Commit picks a request with an explicit COMMIT. A request outside of a transaction block commits by itself; it is picked
// by its statements.
func Commit(r Request) bool {
	for _, s := range r.Statements {
		if strings.EqualFold(strings.Trim(s, " \t\r\n;"), "commit") {
			return true
		}
	}
	return false
}

// Statement picks requests that execute a statement which contains text. Upper and lower case differ.
func Statement(text string) Match {
	return func(r Request) bool {
		for _, s := range r.Statements {
			if strings.Contains(s, text) {
				return true
			}
		}
		return false
	}
}

// Nth picks the n-th, from 1, of those that match picks.
func Nth(n int, match Match) Match {
	return func(r Request) bool {
		if match(r) {
			n--
		}
		return n == 0
	}
}
