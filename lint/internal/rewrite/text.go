package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/analysis"
)

// Operands returns the operands of a chain of string concatenations, or the expression alone.
func Operands(e ast.Expr) []ast.Expr {
	e = ast.Unparen(e)
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		return append(Operands(b.X), Operands(b.Y)...)
	}
	return []ast.Expr{e}
}

// Format is a call of fmt.Sprintf with a literal format whose text stands in the source as it is.
type Format struct {
	Literal *ast.BasicLit
	Args    []ast.Expr
	text    string
	verbs   [][2]int
}

// FormatOf reads a call of fmt.Sprintf; ok is false for anything else.
func (s *Source) FormatOf(e ast.Expr) (f Format, ok bool) {
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if !isCall || len(call.Args) < 2 || call.Ellipsis.IsValid() {
		return f, false
	}
	sel, isSel := call.Fun.(*ast.SelectorExpr)
	if !isSel {
		return f, false
	}
	fn, _ := s.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	lit, isLit := call.Args[0].(*ast.BasicLit)
	if fn == nil || fn.FullName() != "fmt.Sprintf" || !isLit {
		return f, false
	}
	text, plain := Plain(lit)
	if !plain {
		return f, false
	}
	f = Format{Literal: lit, Args: call.Args[1:], text: text}
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		start := i
		for i++; i < len(text) && strings.IndexByte("+-# 0123456789.", text[i]) >= 0; i++ {
		}
		if i == len(text) || text[i] == '[' || text[i] == '*' {
			return f, false
		}
		if text[i] != '%' {
			f.verbs = append(f.verbs, [2]int{start, i + 1})
		}
	}
	return f, len(f.verbs) == len(f.Args)
}

// Plain returns the text of a string literal in which each byte stands for itself.
func Plain(lit *ast.BasicLit) (string, bool) {
	if lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil && len(text)+2 == len(lit.Value)
}

// at is the place of a byte of the format in the source.
func (f Format) at(offset int) token.Pos { return f.Literal.Pos() + 1 + token.Pos(offset) }

// Separate puts a colon between two neighbours.
func (f Format) Separate(i int) (analysis.TextEdit, bool) {
	if i+1 >= len(f.verbs) || f.verbs[i][1] != f.verbs[i+1][0] {
		return analysis.TextEdit{}, false
	}
	return Insert(f.at(f.verbs[i][1]), ":"), true
}

// Drop takes away an argument with its verb and the separators in front of that, or, of the first one,
// behind it.
func (f Format) Drop(i int) []analysis.TextEdit {
	start, end := f.verbs[i][0], f.verbs[i][1]
	first := start
	for start > 0 && isSeparator(rune(f.text[start-1])) {
		start--
	}
	if first == 0 {
		for end < len(f.text) && isSeparator(rune(f.text[end])) {
			end++
		}
	}
	before := f.Literal.End()
	if i > 0 {
		before = f.Args[i-1].End()
	}
	return []analysis.TextEdit{Delete(f.at(start), f.at(end)), Delete(before, f.Args[i].End())}
}

// Swap puts another text in the place of an argument.
func (f Format) Swap(i int, text string) []analysis.TextEdit {
	verb := analysis.TextEdit{Pos: f.at(f.verbs[i][0]), End: f.at(f.verbs[i][1]), NewText: []byte("%s")}
	return []analysis.TextEdit{verb, Replace(f.Args[i], text)}
}

func isSeparator(r rune) bool {
	return r != '%' && r != '"' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// isSeparators reports whether an operand is a literal of separators alone.
func isSeparators(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return false
	}
	text, plain := Plain(lit)
	return plain && text != "" && strings.IndexFunc(text, func(r rune) bool { return !isSeparator(r) }) < 0
}

// DropOperand takes away an operand of a concatenation with the separator in front of it, or, of the
// first one, behind it.
func DropOperand(list []ast.Expr, i int) (analysis.TextEdit, bool) {
	first, last := i, i
	if i > 0 && isSeparators(list[i-1]) {
		first--
	} else if i == 0 && len(list) > 1 && isSeparators(list[1]) {
		last++
	}
	switch {
	case first > 0:
		return Delete(list[first-1].End(), list[last].End()), true
	case last+1 < len(list):
		return Delete(list[first].Pos(), list[last+1].Pos()), true
	}
	return analysis.TextEdit{}, false
}

// Literal returns the string literal that an expression is, or that the constant it names is declared
// with.
func (s *Source) Literal(e ast.Expr) *ast.BasicLit {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return e
	case *ast.Ident:
		return s.constant(e)
	}
	return nil
}

func (s *Source) constant(id *ast.Ident) *ast.BasicLit {
	obj, ok := s.pass.TypesInfo.Uses[id].(*types.Const)
	if !ok || obj.Pkg() != s.pass.Pkg {
		return nil
	}
	var found *ast.BasicLit
	for _, file := range s.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			for i, name := range spec.Names {
				if s.pass.TypesInfo.Defs[name] == obj {
					found, _ = ast.Unparen(spec.Values[i]).(*ast.BasicLit)
				}
			}
			return false
		})
	}
	return found
}
