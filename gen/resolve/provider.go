package resolve

import (
	"go/types"
	"time"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
)

// provider resolves a function or method that calls another system.
func (r *resolver) provider(p directive.Placed) {
	fn, _ := r.pkg.Info.Defs[p.Func.Name].(*types.Func)
	if fn == nil || !r.nameable(p, p.Func.Name) {
		return
	}
	v := model.Provider{
		Func: p.Func.Name.Name, Window: r.window(p),
		Doc: synopsis(p.Doc, p.Func.Name.Name), Pos: r.prog.Position(p.Pos),
	}
	var recvOK bool
	v.Recv, recvOK = r.receiver(p.Func, fn)
	receipt, signatureOK := r.providerSignature(p.Func, fn, &v)
	if !recvOK {
		return
	}
	v.Lookup = r.companion(p.Arg("lookup"), v, lookupForm(receipt))
	v.Undo = r.companion(p.Arg("undo"), v, undoForm(receipt))
	if !signatureOK || p.Node == nil {
		return
	}
	v.Name = p.Node.Value.(string)
	owner := "//idem:provider on " + v.Selector()
	r.names.claim(p.Pos, owner, v.GeneratedNames())
	if v.Recv != nil {
		r.names.claimMethods(p.Pos, owner, v.Recv.Type, v.GeneratedMethods())
	}
	r.model.Providers = append(r.model.Providers, v)
}

// shortestWindow is what a call needs to be sent again in it.
const shortestWindow = time.Second

// window gives the time for which the other system honours a key; 0 without.
func (r *resolver) window(p directive.Placed) time.Duration {
	window := directive.Value[time.Duration](p.Directive, "window")
	if arg := p.Arg("window"); arg != nil && window < shortestWindow {
		r.add(arg.ValuePos, "bad-duration", "write for how long the other system honours a key, or leave the argument out",
			"window: in %s nothing can be sent again", arg.Text)
	}
	return window
}
