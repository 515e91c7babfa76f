package directive

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

func (p *reading) argument(t ast.DirectiveArg, param *Param, text string, next []ast.DirectiveArg) (used int) {
	if p.d.Arg(param.Name) != nil {
		p.add(t.Pos, "repeated-argument", "keep one of them", "%s is given twice", param.Name)
		return 0
	}
	arg := Arg{Param: param, Pos: t.Pos, ValuePos: p.valuePos(t, text), Text: text}
	if open := strings.Count(text, "(") - strings.Count(text, ")"); open > 0 && param.Kind == Conflict {
		return p.splitBySpaces(arg, next)
	}
	if value, ok := p.value(arg.ValuePos, param, text); ok {
		arg.Value = value
		p.d.Args = append(p.d.Args, arg)
	}
	return 0
}

// splitBySpaces reports update(a, b): its spaces made several tokens of it.
func (p *reading) splitBySpaces(arg Arg, next []ast.DirectiveArg) (used int) {
	whole := arg.Param.Name + "=" + arg.Text
	for _, t := range next {
		whole += t.Arg
		used++
		if strings.Contains(t.Arg, ")") {
			p.add(arg.ValuePos, arg.Param.Kind.Code, "write "+whole+" without spaces", "%s has spaces in its list", arg.Param.Name)
			return used
		}
	}
	p.value(arg.ValuePos, arg.Param, arg.Text)
	return 0
}

func (p *reading) value(pos token.Pos, param *Param, text string) (any, bool) {
	value, wrong := param.Kind.parse(text)
	if wrong == nil {
		return value, true
	}
	what := param.Name + ": "
	if param == p.d.Spec.Node {
		what = ""
	}
	p.add(pos, param.Kind.Code, wrong.fix, "%s%s", what, wrong.message)
	return nil, false
}

// valuePos finds the value of a token in the source. Where quoting hides it the token's place serves.
func (p *reading) valuePos(t ast.DirectiveArg, value string) token.Pos {
	start := int(t.Pos - p.raw.ArgsPos)
	at := strings.IndexByte(p.raw.Args[start:], '=') + 1
	if at > 0 && strings.HasPrefix(p.raw.Args[start+at:], value) {
		return t.Pos + token.Pos(at)
	}
	return t.Pos
}

func quoteIfNeeded(text string) string {
	if quoted := strconv.Quote(text); quoted != `"`+text+`"` || strings.ContainsAny(text, " ") || text == "" {
		return quoted
	}
	return text
}
