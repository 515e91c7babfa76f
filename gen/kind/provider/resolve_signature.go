package provider

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/idem-go/idem/gen/resolve"
)

// form is what a function of a provider takes and gives.
type form struct {
	text            string // the whole, for people
	params, results []want
}

// want is what a parameter or a result must be.
type want struct {
	text string // for people
	is   func(types.Type) bool
}

var (
	wantContext = want{"context.Context", func(t types.Type) bool { return resolve.IsNamed(t, "context", "Context") }}
	wantString  = want{"string", isBasic(types.String)}
	wantBool    = want{"bool", isBasic(types.Bool)}
	wantError   = want{"error", resolve.IsError}
	// wantPayload is checked once it is known which one it is.
	wantPayload = want{"", func(types.Type) bool { return true }}
)

var callForm = form{
	"func(ctx context.Context, key string, req Req) (Receipt, error)",
	[]want{wantContext, wantString, wantPayload}, []want{wantPayload, wantError},
}

func lookupForm(receipt want) form {
	return form{
		"func(ctx context.Context, key string) (" + receipt.name() + ", bool, error)",
		[]want{wantContext, wantString}, []want{receipt, wantBool, wantError},
	}
}

func undoForm(receipt want) form {
	return form{
		"func(ctx context.Context, key string, receipt " + receipt.name() + ") error",
		[]want{wantContext, wantString, receipt}, []want{wantError},
	}
}

func (w want) name() string {
	if w.text == "" {
		return "Receipt"
	}
	return w.text
}

// isBasic makes the check for a predeclared type, which a named one is not.
func isBasic(kind types.BasicKind) func(types.Type) bool {
	return func(t types.Type) bool { return types.Identical(t, types.Typ[kind]) }
}

// providerSignature checks the form of the provider function, and resolves Req and Receipt. The lookup and the undo
// must have the receipt that it gives.
func (r resolver) providerSignature(decl *ast.FuncDecl, fn *types.Func, v *Provider) (receipt want, ok bool) {
	s := signature{resolve.Signature{Resolver: r.Resolver, Decl: decl, Form: callForm.text}}
	if !s.follows(callForm, fn) {
		return wantPayload, false
	}
	req := resolve.Slots(decl.Type.Params, fn.Signature().Params())[2]
	given := resolve.Slots(decl.Type.Results, fn.Signature().Results())[0]
	var reqOK, receiptOK bool
	v.Req, reqOK = r.Payload(req, "request")
	v.Receipt, receiptOK = r.Payload(given, "receipt")
	if resolve.IsInvalid(given.Type) {
		return wantPayload, false
	}
	receipt = want{r.Display(given.Type), func(t types.Type) bool { return types.Identical(t, given.Type) }}
	return receipt, reqOK && receiptOK
}

// signature is that of one of a provider's functions.
type signature struct{ resolve.Signature }

// follows checks the parameters and results of a function, and says what exactly differs from the form.
func (s signature) follows(f form, fn *types.Func) bool {
	sig := fn.Signature()
	if f.fits(sig) {
		return true
	}
	params, results := resolve.Slots(s.Decl.Type.Params, sig.Params()), resolve.Slots(s.Decl.Type.Results, sig.Results())
	switch {
	case s.Decl.Type.TypeParams != nil:
		s.Add(s.Decl.Type.TypeParams.Opening, "generic-provider", "write a function for each type that calls it", "%s: it has type parameters", s.Who())
	case sig.Variadic():
		s.Wrong(params[len(params)-1].Expr.Pos(), "", "its last parameter is variadic")
	default:
		s.are("parameter", params, f.params, s.Decl.Type.Params.Pos())
		s.are("result", results, f.results, s.Decl.Name.Pos())
	}
	return false
}

func (f form) fits(sig *types.Signature) bool {
	return sig.TypeParams().Len() == 0 && !sig.Variadic() && fit(sig.Params(), f.params) && fit(sig.Results(), f.results)
}

func fit(tuple *types.Tuple, wants []want) bool {
	if tuple.Len() != len(wants) {
		return false
	}
	for i, w := range wants {
		if !w.is(tuple.At(i).Type()) {
			return false
		}
	}
	return true
}

// are reports which parameters or results are not what they should be. at is where they would stand.
func (s signature) are(what string, slots []resolve.Slot, wants []want, at token.Pos) {
	if len(slots) != len(wants) {
		if len(slots) > len(wants) {
			at = slots[len(wants)].Expr.Pos()
		}
		s.Wrong(at, "", "it has %s instead of %d", resolve.Count(len(slots), what), len(wants))
		return
	}
	for i, w := range wants {
		which := []string{"first", "second", "third"}[i] + " " + what
		if !w.is(slots[i].Type) && s.Defined(slots[i].Expr, slots[i].Type, "the "+which) {
			s.Wrong(slots[i].Expr.Pos(), "", "its %s is %s instead of %s", which, s.Display(slots[i].Type), w.text)
		}
	}
}
