package provider

import (
	"time"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
)

// resolver resolves providers.
type resolver struct{ *resolve.Resolver }

// resolveProvider resolves a function or method that calls another system.
func resolveProvider(shared *resolve.Resolver, p directive.Placed) model.Declaration {
	r := resolver{shared}
	fn := r.Func(p)
	if fn == nil {
		return nil
	}
	v := Provider{
		Func: p.Func.Name.Name, Window: r.window(p),
		Doc: resolve.Synopsis(p.Doc, p.Func.Name.Name), Pos: r.Program.Position(p.Pos),
	}
	var recvOK bool
	v.Recv, recvOK = r.Receiver(p.Func, fn)
	receipt, signatureOK := r.providerSignature(p.Func, fn, &v)
	if !recvOK {
		return nil
	}
	v.Lookup = r.companion(p.Arg("lookup"), v, lookupForm(receipt))
	v.Undo = r.companion(p.Arg("undo"), v, undoForm(receipt))
	if !signatureOK || p.Node == nil {
		return nil
	}
	v.Name = p.Node.Value.(string)
	owner := "//idem:provider on " + v.Selector()
	r.Claim(p.Pos, owner, v.GeneratedNames())
	if v.Recv != nil {
		r.ClaimMethods(p.Pos, owner, v.Recv.Type, v.GeneratedMethods())
	}
	return v
}

// shortestWindow is what a call needs to be sent again in it.
const shortestWindow = time.Second

// window returns the time for which the other system honours a key; 0 without.
func (r resolver) window(p directive.Placed) time.Duration {
	window := directive.Value[time.Duration](p.Directive, "window")
	if arg := p.Arg("window"); arg != nil && window < shortestWindow {
		r.Add(arg.ValuePos, "bad-duration", "write for how long the other system honours a key, or leave the argument out",
			"window: in %s nothing can be sent again", arg.Text)
	}
	return window
}
