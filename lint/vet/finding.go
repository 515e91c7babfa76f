package vet

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/lint"
)

// Finding is what a rule reports.
type Finding struct {
	Pos      diag.Position `json:"pos"`
	End      diag.Position `json:"end"`
	Code     string        `json:"code"`     // the rule
	Severity string        `json:"severity"` // error or warning
	Message  string        `json:"message"`
	URL      string        `json:"url"`
	Related  []Related     `json:"related,omitempty"`
	Fix      string        `json:"fix,omitempty"` // what --fix does about it
	edits    []edit
}

// Related is another place that a finding speaks of.
type Related struct {
	Pos     diag.Position `json:"pos"`
	Message string        `json:"message"`
}

// String returns the finding on one line, as a compiler would.
func (f Finding) String() string { return fmt.Sprintf("%s: %s", f.Pos, f.Message) }

// edit replaces a piece of a file.
type edit struct {
	file       string
	start, end int
	text       string
}

func finding(fset *token.FileSet, d analysis.Diagnostic) Finding {
	f := Finding{
		Pos: place(fset, d.Pos), Code: d.Category, Severity: lint.Severity(d.Category), Message: d.Message, URL: d.URL,
	}
	f.End = f.Pos
	if d.End.IsValid() {
		f.End = place(fset, d.End)
	}
	for _, r := range d.Related {
		f.Related = append(f.Related, Related{place(fset, r.Pos), r.Message})
	}
	for _, fix := range d.SuggestedFixes[:min(1, len(d.SuggestedFixes))] {
		f.Fix = fix.Message
		for _, e := range fix.TextEdits {
			file := fset.File(e.Pos)
			end := e.End
			if !end.IsValid() {
				end = e.Pos
			}
			f.edits = append(f.edits, edit{file.Name(), file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
		}
	}
	return f
}

func place(fset *token.FileSet, pos token.Pos) diag.Position {
	at := fset.Position(pos)
	return diag.Position{File: at.Filename, Line: at.Line, Column: at.Column}
}

// sorted puts findings into the order of their places, each once: a file can be part of two packages.
func sorted(list []Finding) []Finding {
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(list, func(a, b Finding) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
}
