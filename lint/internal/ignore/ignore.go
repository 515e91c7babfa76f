package ignore

import (
	"go/ast"
	"go/token"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer collects the directives of a package. Its result is [Directives].
var Analyzer = &analysis.Analyzer{
	Name:             "idemignore",
	Doc:              "collect the directives //idem:ignore, for the rules of idem",
	RunDespiteErrors: true,
	ResultType:       reflect.TypeFor[Directives](),
	Run: func(pass *analysis.Pass) (any, error) {
		var all Directives
		for _, file := range pass.Files {
			all = append(all, read(pass.Fset, file)...)
		}
		return all, nil
	},
}

// Directive is one directive.
type Directive struct {
	Comment *ast.Comment
	Rules   []string
	Reason  string
	file    string
	first   int // line
	last    int
}

// Directives are those of a package.
type Directives []*Directive

const prefix = "//idem:ignore"

// For returns the directives that name the rule and are for a place, with or without a reason.
func (d Directives) For(rule string, at token.Position) []*Directive {
	var list []*Directive
	for _, x := range d {
		if x.file != at.Filename || at.Line < x.first || x.last < at.Line {
			continue
		}
		for _, r := range x.Rules {
			if r == rule {
				list = append(list, x)
			}
		}
	}
	return list
}

func read(fset *token.FileSet, file *ast.File) Directives {
	var list Directives
	for _, group := range file.Comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, prefix)
			if !ok || rest != "" && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
				continue
			}
			list = append(list, parse(fset, file, c, rest))
		}
	}
	return list
}

func parse(fset *token.FileSet, file *ast.File, c *ast.Comment, rest string) *Directive {
	at := fset.Position(c.Pos())
	d := &Directive{Comment: c, file: at.Filename, first: at.Line, last: at.Line}
	names, reason, _ := strings.Cut(rest, "--")
	names, _, _ = strings.Cut(names, "//")
	d.Reason = strings.TrimSpace(reason)
	d.Rules = strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if alone(fset, file, c) {
		d.last = max(at.Line+1, below(fset, file, at.Line+1))
	}
	return d
}

// alone reports whether nothing but the comment stands on its line.
func alone(fset *token.FileSet, file *ast.File, c *ast.Comment) bool {
	line, found := fset.Position(c.Pos()).Line, false
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || found || n.Pos() > c.Pos() {
			return false
		}
		switch n.(type) {
		case *ast.Comment, *ast.CommentGroup, *ast.File:
			return true
		}
		if n.End() <= c.Pos() && fset.Position(n.End()).Line == line {
			found = true
		}
		return true
	})
	return !found
}

// below returns the last line of the statement that begins on a line. What stands in the body of a
// function or of a block has statements of its own.
func below(fset *token.FileSet, file *ast.File, line int) int {
	last := line
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if fset.Position(n.End()).Line < line || fset.Position(n.Pos()).Line > line {
			return false
		}
		if fset.Position(n.Pos()).Line == line && last == line {
			last = extent(fset, n)
		}
		return true
	})
	return last
}

// extent returns the line on which a node ends, or on which its first body begins.
func extent(fset *token.FileSet, n ast.Node) int {
	end := n.End()
	ast.Inspect(n, func(m ast.Node) bool {
		if b, ok := m.(*ast.BlockStmt); ok && b.Pos() < end {
			end = b.Pos()
		}
		return true
	})
	return fset.Position(end).Line
}
