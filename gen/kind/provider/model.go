package provider

import (
	"time"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// Provider is an annotated function or method: a call to another system, made once per run and node.
type Provider struct {
	Name    string      // what the directive calls it; a part of every key
	Func    string      // the function's or method's Go name
	Recv    *model.Recv // nil for a function
	Req     model.Type
	Receipt model.Type
	Window  time.Duration // how long the other system knows a key; zero: not given
	Lookup  *Companion    // nil without
	Undo    *Companion    // nil without
	Doc     string        // first sentence of the doc comment, without the name; may be empty
	Pos     diag.Position
}

// Companion is what lookup= or undo= names.
type Companion struct {
	Func   string
	Method bool // of the provider's own receiver
}

// UndoNode is the name of the step that takes a provider's calls back for an operator.
func UndoNode(provider string) string { return provider + ".undo" }

// At is where the directive stands.
func (p Provider) At() diag.Position { return p.Pos }

// Order sorts providers by their names.
func (p Provider) Order() string { return p.Name }

// space is the one that the names of providers stand in.
const space model.Space = "provider"

// Claims are the provider's name, and that of the node which takes its calls back for an operator.
func (p Provider) Claims() []model.Claim {
	claims := []model.Claim{{Space: space, Name: p.Name, Owner: "provider"}}
	if p.Undo != nil {
		claims = append(claims, undoClaim(p.Name))
	}
	return claims
}

// undoClaim is the claim of the node that takes a provider's calls back for an operator.
func undoClaim(provider string) model.Claim {
	return model.Claim{Space: model.Node, Name: UndoNode(provider), Owner: "undo of the provider"}
}

// Selector is how Go names the function: "SendSMS", or "Carrier.SendSMS" for a method.
func (p Provider) Selector() string { return p.member(p.Func) }

// SelectorOf is how Go names the lookup or the undo.
func (p Provider) SelectorOf(f Companion) string {
	if f.Method {
		return p.member(f.Func)
	}
	return f.Func
}

// CallSelector is how Go names the generated function or method that makes the call.
func (p Provider) CallSelector() string { return p.member(p.CallName()) }

// DefinitionName is the name of the generated definition: a variable, or for a method a method that returns it.
func (p Provider) DefinitionName() string { return model.LowerFirst(p.Func) + "Provider" }

// CallName is the name of the generated function or method that makes the call once: CallSendSMS.
func (p Provider) CallName() string { return p.verb("Call") }

// UndoName is the name of the generated function or method that takes a call back: UndoSendSMS.
func (p Provider) UndoName() string { return p.verb("Undo") }

// RegisterUndoName is the name of the generated function that lets workers take calls back.
func (p Provider) RegisterUndoName() string {
	name := "Register" + model.UpperFirst(model.Joined(p.Recv, p.Func)) + "Undo"
	if model.IsExported(p.Func) && (p.Recv == nil || model.IsExported(p.Recv.Type)) {
		return name
	}
	return model.LowerFirst(name)
}

// GeneratedNames are the names that the provider adds to its package's scope.
func (p Provider) GeneratedNames() []string {
	var names []string
	if p.Recv == nil {
		names = p.callNames()
	}
	if p.Undo != nil {
		names = append(names, p.RegisterUndoName())
	}
	return names
}

// GeneratedMethods are the names that the provider adds to its receiver's type; none for a function.
func (p Provider) GeneratedMethods() []string {
	if p.Recv == nil {
		return nil
	}
	return p.callNames()
}

func (p Provider) callNames() []string {
	names := []string{p.DefinitionName(), p.CallName()}
	if p.Undo != nil {
		names = append(names, p.UndoName())
	}
	return names
}

func (p Provider) verb(verb string) string {
	if !model.IsExported(p.Func) {
		verb = model.LowerFirst(verb)
	}
	return verb + model.UpperFirst(p.Func)
}

func (p Provider) member(name string) string { return model.Select(p.Recv, name) }
