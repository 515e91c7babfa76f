package model

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Selector is how Go names the function: "Charge", or "Billing.Finalize" for a method.
func (h Handler) Selector() string {
	if h.Recv == nil {
		return h.Func
	}
	return h.Recv.Type + "." + h.Func
}

// Exported reports whether the generated names are exported: the function and its receiver's type are.
func (h Handler) Exported() bool {
	return isExported(h.Func) && (h.Recv == nil || isExported(h.Recv.Type))
}

// DefinitionName is the name of the generated definition: ChargeAction, BillingFinalizeStep.
func (h Handler) DefinitionName() string {
	suffix := "Action"
	if h.Kind == Step {
		suffix = "Step"
	}
	return h.cased(h.joined() + suffix)
}

// RegisterName is the name of the generated function that binds the implementation in a worker.
func (h Handler) RegisterName() string {
	return h.cased("Register" + upperFirst(h.joined()))
}

// GeneratedNames are the names that the handler adds to its package's scope.
func (h Handler) GeneratedNames() []string {
	return []string{h.DefinitionName(), h.RegisterName()}
}

// TestName is the name of the handler's generated test.
func (h Handler) TestName() string {
	if h.Exported() {
		return "Test" + h.joined() + "_Faults"
	}
	return "Test_" + lowerFirst(h.joined()) + "_Faults"
}

// FixtureName is what the function could be called that the handler's test takes its needs from.
func (h Handler) FixtureName() string { return lowerFirst(h.joined()) + "Fixture" }

func (h Handler) joined() string { return joined(h.Recv, h.Func) }

func joined(recv *Recv, name string) string {
	if recv == nil {
		return name
	}
	return recv.Type + upperFirst(name)
}

func (h Handler) cased(name string) string {
	if h.Exported() {
		return name
	}
	return lowerFirst(name)
}

// EffectName is the name of the generated description of the table: ledgerEntryEffect.
func (e Effect) EffectName() string {
	return lowerFirst(e.Type) + "Effect"
}

// RecordName is the name of the generated function that keeps a row until the completion.
func (e Effect) RecordName() string { return e.verb("Record") }

// InsertName is the name of the generated function that writes a row at once.
func (e Effect) InsertName() string { return e.verb("Insert") }

// GeneratedNames are the names that the effect adds to its package's scope.
func (e Effect) GeneratedNames() []string {
	return []string{e.EffectName(), e.RecordName(), e.InsertName()}
}

func (e Effect) verb(verb string) string {
	if !isExported(e.Type) {
		verb = lowerFirst(verb)
	}
	return verb + upperFirst(e.Type)
}

// GeneratedNames are all names that idem adds to the package's scope, sorted.
func (p *Package) GeneratedNames() []string {
	var names []string
	for _, h := range p.Handlers {
		names = append(names, h.GeneratedNames()...)
	}
	for _, e := range p.Effects {
		names = append(names, e.GeneratedNames()...)
	}
	for _, o := range p.Outboxes {
		names = append(names, o.GeneratedNames()...)
	}
	for _, v := range p.Providers {
		names = append(names, v.GeneratedNames()...)
	}
	slices.Sort(names)
	return names
}

func isExported(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first)
}

func upperFirst(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// lowerFirst makes a name unexported. A leading initialism is lowered as a whole: URLEntry, urlEntry.
func lowerFirst(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		wordStarts := i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if !unicode.IsUpper(r) || wordStarts {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}
