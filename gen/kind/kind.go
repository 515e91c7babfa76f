package kind

import (
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/resolve"
	"github.com/idem-go/idem/gen/schema"
)

// Kind is one kind of directives. What its declarations become behind the model, they say themselves.
type Kind struct {
	// Resolve is what authors write, and what becomes of it in the model.
	Resolve resolve.Kind
	// Section is the part of idem.lock with its durable names; nil for a kind whose declarations have none.
	Section *lock.Section
	// Form is the name of what it makes of its tables, and ReadForm reads that from idem.lock; none for a kind without
	// tables, or with tables of plain rows.
	Form     string
	ReadForm func(data []byte) (schema.Form, error)
}

// Reserved is the kind of a directive whose name is kept for a later version.
func Reserved(name, doc string, on ...directive.Target) Kind {
	spec := &directive.Spec{Name: name, On: on, Form: directive.Targets(on).String(), Doc: doc, Later: true}
	return Kind{Resolve: resolve.Kind{Directives: []*directive.Spec{spec}}}
}

// Kinds are those that a run knows, in the order in which their declarations come in generated code.
type Kinds []Kind

// Resolve is what the stages before the model know of them.
func (k Kinds) Resolve() resolve.Kinds {
	kinds := make(resolve.Kinds, len(k))
	for i, kind := range k {
		kinds[i] = kind.Resolve
	}
	return kinds
}

// Directives are all that authors may write.
func (k Kinds) Directives() directive.Registry { return k.Resolve().Directives() }

// Lock is what idem.lock holds of them.
func (k Kinds) Lock() lock.Format {
	f := lock.Format{Forms: schema.Forms{}}
	for _, kind := range k {
		if kind.Section != nil {
			f.Sections = append(f.Sections, kind.Section)
		}
		if kind.ReadForm != nil {
			f.Forms[kind.Form] = kind.ReadForm
		}
	}
	return f
}
