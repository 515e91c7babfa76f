package handler

import (
	"time"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
)

// resolver resolves handlers.
type resolver struct{ *resolve.Resolver }

// resolveHandler resolves an action or a step.
func resolveHandler(shared *resolve.Resolver, p directive.Placed) model.Declaration {
	r := resolver{shared}
	fn := r.Func(p)
	if fn == nil {
		return nil
	}
	h := Handler{
		Kind:   Sort(p.Spec.Name),
		Func:   p.Func.Name.Name,
		Limits: limitsOf(p.Directive),
		Doc:    resolve.Synopsis(p.Doc, p.Func.Name.Name),
		Pos:    r.Program.Position(p.Pos),
	}
	var recvOK bool
	h.Recv, recvOK = r.Receiver(p.Func, fn)
	signatureOK := r.signature(p.Func, fn, &h)
	if !recvOK || !signatureOK || p.Node == nil {
		return nil
	}
	h.Name = p.Node.Value.(string)
	r.Claim(p.Pos, "//idem:"+p.Spec.Name+" on "+h.Selector(), h.GeneratedNames())
	r.test(p, fn, &h)
	return h
}

func limitsOf(d *directive.Directive) Limits {
	l := Limits{
		Timeout:     directive.Value[time.Duration](d, "timeout"),
		MaxAttempts: directive.Value[int](d, "max_attempts"),
		Backoff:     directive.Value[time.Duration](d, "backoff"),
		MaxInput:    directive.Value[int64](d, "max_input"),
		MaxOutput:   directive.Value[int64](d, "max_output"),
		Queue:       directive.Value[string](d, "queue"),
	}
	if d.Arg("max_reclaims") != nil {
		l.MaxReclaims = new(directive.Value[int](d, "max_reclaims"))
	}
	return l
}
