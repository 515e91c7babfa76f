package diag

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Position is a place in a source file. Line and Column count from 1, columns in bytes.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String returns the position as file:line:col, the form that editors jump to.
func (p Position) String() string {
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Diagnostic is one thing that is wrong in the source, where it stands, and what would be right.
type Diagnostic struct {
	Pos     Position `json:"pos"`
	Code    string   `json:"code"` // stable, kebab-case: "unknown-argument"
	Message string   `json:"message"`
	Fix     string   `json:"fix,omitempty"` // what to write instead, in a sentence; may be empty
}

// Error makes a Diagnostic an error: file:line:col: message; fix.
func (d Diagnostic) Error() string {
	if d.Fix == "" {
		return fmt.Sprintf("%s: %s", d.Pos, d.Message)
	}
	return fmt.Sprintf("%s: %s; %s", d.Pos, d.Message, d.Fix)
}

// List collects the diagnostics of one run. The zero value is ready to use.
type List []Diagnostic

// Add appends a diagnostic.
func (l *List) Add(pos Position, code, fix, format string, args ...any) {
	*l = append(*l, Diagnostic{Pos: pos, Code: code, Message: fmt.Sprintf(format, args...), Fix: fix})
}

// Sorted returns the diagnostics in the order of their positions, each once.
func (l List) Sorted() List {
	s := slices.Clone(l)
	slices.SortFunc(s, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(s)
}

// Error returns every diagnostic, one a line.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// WriteText writes the diagnostics one a line, as a compiler would.
func (l List) WriteText(w io.Writer) error {
	for _, d := range l {
		if _, err := fmt.Fprintln(w, d.Error()); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes the diagnostics as one JSON array.
func (l List) WriteJSON(w io.Writer) error {
	if l == nil {
		l = List{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(l)
}
