package directive

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/idem-go/idem/gen/diag"
)

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
	if owner := p.registry.ownerOf(key); owner != "" {
		fix = "only //idem:" + owner + " has it; " + fix
	} else if suggestion := diag.Suggest(key, p.d.Spec.paramNames()); suggestion != "" {
		fix = diag.DidYouMean(suggestion + "=" + value)
	}
	p.add(t.Pos, "unknown-argument", fix, "//idem:%s has no argument %s", p.d.Spec.Name, quoteIfNeeded(key))
}

// ownerOf names a supported directive that has the argument, or returns "".
func (r Registry) ownerOf(param string) string {
	for _, s := range r {
		if s.Param(param) != nil {
			return s.Name
		}
	}
	return ""
}
