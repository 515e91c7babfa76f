package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/diag"
)

// tool is the name before the colon.
const tool = "idem"

// Parse reads one comment. It returns nil for what is not a directive of this version. All mistakes are
// reported; the directive then holds what is right.
func (r Registry) Parse(c *ast.Comment, report Reporter) *Directive {
	raw, ok := ast.ParseDirective(c.Slash, c.Text)
	if !ok || raw.Tool != tool {
		r.reportNearMiss(c, report)
		return nil
	}
	if raw.Name == linters {
		return nil
	}
	spec := r.lookup(raw, report)
	if spec == nil {
		return nil
	}
	p := &reading{registry: r, d: &Directive{Spec: spec, Pos: raw.Slash}, raw: raw, report: report}
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

// linters is the name of the directive that silences the linter. It stands anywhere, and says nothing about what is
// generated; the linter checks it.
const linters = "ignore"

func (r Registry) lookup(raw ast.Directive, report Reporter) *Spec {
	namePos := raw.Slash + token.Pos(len("//"+tool+":"))
	spec := r.Lookup(raw.Name)
	switch {
	case spec == nil:
		suggestion := diag.Suggest(raw.Name, r.Names())
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

// reading is the state of reading one directive.
type reading struct {
	registry Registry
	d        *Directive
	raw      ast.Directive
	report   Reporter
	named    bool // a word for NAME was seen, right or wrong
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
