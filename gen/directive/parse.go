package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-go/idem/gen/diag"
)

// tool is the name before the colon.
const tool = "idem"

// Parse reads one comment. It gives nil for what is not a directive of this version. All mistakes are
// reported; the directive then holds what is right.
func Parse(c *ast.Comment, report Reporter) *Directive {
	raw, ok := ast.ParseDirective(c.Slash, c.Text)
	if !ok || raw.Tool != tool {
		reportNearMiss(c, report)
		return nil
	}
	spec := lookup(raw, report)
	if spec == nil {
		return nil
	}
	p := &reading{d: &Directive{Spec: spec, Pos: raw.Slash}, raw: raw, report: report}
	if p.quotingIsRight() {
		tokens, err := raw.ParseArgs()
		if err != nil {
			p.add(raw.ArgsPos, "quoting", "", "%v", err)
			return p.d
		}
		p.tokens(tokens)
	}
	return p.d
}

func lookup(raw ast.Directive, report Reporter) *Spec {
	namePos := raw.Slash + token.Pos(len("//"+tool+":"))
	spec := Lookup(raw.Name)
	switch {
	case spec == nil:
		suggestion := diag.Suggest(raw.Name, directiveNames())
		if suggestion != "" {
			suggestion = "//idem:" + suggestion
		}
		report(namePos, "unknown-directive", diag.DidYouMean(suggestion), "unknown directive //idem:"+raw.Name)
	case spec.Later:
		report(namePos, "unsupported-directive", "remove it for now", "//idem:"+raw.Name+" is not supported yet")
		return nil
	}
	return spec
}

type reading struct {
	d      *Directive
	raw    ast.Directive
	report Reporter
	named  bool // a word for NAME was seen, right or wrong
}

func (p *reading) add(pos token.Pos, code, fix, format string, args ...any) {
	p.report(pos, code, fix, fmt.Sprintf(format, args...))
}

func (p *reading) tokens(tokens []ast.DirectiveArg) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if strings.HasPrefix(t.Arg, "//") {
			p.add(t.Pos, "trailing-comment", "move the comment to a line of its own", "a directive's line takes no comment")
			break
		}
		i += p.token(t, tokens[i+1:])
	}
	if p.d.Spec.Node != nil && !p.named {
		p.add(p.d.Pos, "missing-name", fmt.Sprintf("write //idem:%s NAME", p.d.Spec.Name), "//idem:%s has no name", p.d.Spec.Name)
	}
	slices.SortStableFunc(p.d.Args, func(a, b Arg) int { return p.rank(a) - p.rank(b) })
}

func (p *reading) rank(a Arg) int {
	return slices.Index(p.d.Spec.paramNames(), a.Param.Name)
}

// token reads one token and says how many of the following ones belong to it.
func (p *reading) token(t ast.DirectiveArg, next []ast.DirectiveArg) (used int) {
	key, value, assigned := strings.Cut(t.Arg, "=")
	param := p.d.Spec.Param(key)
	switch {
	case !assigned && param == nil:
		return p.word(t, next)
	case !assigned && param.Kind != Flag:
		return p.withoutValue(t, param, next)
	case param == nil:
		p.unknown(t, key, value)
	case param.Later:
		p.add(t.Pos, "unsupported-argument", "remove it for now", "%s is not supported yet", key)
	case assigned && param.Kind == Flag:
		p.add(t.Pos, "unexpected-value", "write "+key+" alone", "%s takes no value", key)
	case assigned && value == "":
		return p.emptyValue(t, param, next)
	default:
		return p.argument(t, param, value, next)
	}
	return 0
}

// word reads a token that is neither key=value nor the name of an argument: NAME, or a mistake.
func (p *reading) word(t ast.DirectiveArg, next []ast.DirectiveArg) (used int) {
	spec := p.d.Spec
	if spec.Node != nil && !p.named && len(p.d.Args) == 0 {
		p.named = true
		if value, ok := p.value(t.Pos, spec.Node, t.Arg); ok {
			p.d.Node = &Arg{Param: spec.Node, Pos: t.Pos, ValuePos: t.Pos, Text: t.Arg, Value: value}
		}
		return 0
	}
	if spec.Node != nil && !p.named && nameForm.MatchString(t.Arg) {
		p.named = true
		p.add(t.Pos, "misplaced-name", fmt.Sprintf("write //idem:%s %s first, then the arguments", spec.Name, t.Arg), "the name stands behind an argument")
		return 0
	}
	fix := "arguments are written key=value"
	if key, value, ok := strings.Cut(t.Arg, ":"); ok && spec.Param(key) != nil {
		fix = diag.DidYouMean(key + "=" + value)
	} else if len(next) > 0 && strings.HasPrefix(next[0].Arg, "=") {
		fix, used = "write key=value without spaces around =", equalsSign(next)
	}
	p.add(t.Pos, "unexpected-word", fix, "unexpected word %s", quoteIfNeeded(t.Arg))
	return used
}

// withoutValue reports the name of an argument that stands alone, or with spaces around '='.
func (p *reading) withoutValue(t ast.DirectiveArg, param *Param, next []ast.DirectiveArg) (used int) {
	fix := fmt.Sprintf("write %s=VALUE: %s", param.Name, param.Kind.Form)
	if len(next) > 0 && strings.HasPrefix(next[0].Arg, "=") {
		used = equalsSign(next)
		fix = fmt.Sprintf("write %s=%s without spaces", param.Name, strings.TrimPrefix(next[used-1].Arg, "="))
	}
	p.add(t.Pos, "missing-value", fix, "%s has no value", param.Name)
	return used
}

// equalsSign counts the tokens of "= value" or "=value".
func equalsSign(next []ast.DirectiveArg) int {
	if next[0].Arg == "=" && len(next) > 1 {
		return 2
	}
	return 1
}

func (p *reading) emptyValue(t ast.DirectiveArg, param *Param, next []ast.DirectiveArg) (used int) {
	fix := "leave the argument out for the default"
	if len(next) > 0 && !strings.Contains(next[0].Arg, "=") && !strings.HasPrefix(next[0].Arg, "//") {
		fix, used = fmt.Sprintf("write %s=%s without a space", param.Name, next[0].Arg), 1
	}
	p.add(t.Pos, "empty-value", fix, "%s= has no value", param.Name)
	return used
}

func (p *reading) unknown(t ast.DirectiveArg, key, value string) {
	if key == "" {
		p.add(t.Pos, "unexpected-word", "write key=value without spaces around =", "unexpected word %s", quoteIfNeeded(t.Arg))
		return
	}
	fix := "it takes " + strings.Join(p.d.Spec.paramNames(), ", ")
	if owner := ownerOf(key); owner != "" {
		fix = "only //idem:" + owner + " has it; " + fix
	} else if suggestion := diag.Suggest(key, p.d.Spec.paramNames()); suggestion != "" {
		fix = diag.DidYouMean(suggestion + "=" + value)
	}
	p.add(t.Pos, "unknown-argument", fix, "//idem:%s has no argument %s", p.d.Spec.Name, quoteIfNeeded(key))
}

// ownerOf names a supported directive that has the argument, or gives "".
func ownerOf(param string) string {
	for _, s := range registry {
		if s.Param(param) != nil {
			return s.Name
		}
	}
	return ""
}

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
