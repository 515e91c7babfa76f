package resolve

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// ownForm checks a type that writes or reads its JSON itself, and reports whether it does: what it is made of is its
// own affair then.
func (j *jsonCheck) ownForm(t types.Type, path string, pos token.Pos) bool {
	writes, reads := jsonWriter(t), jsonReader(t)
	wrongly := len(reads.lost) > 0 && !j.OneWay
	switch {
	case len(writes.lost) > 0:
		j.besideEmbedded(writes, "writes itself", t, path, pos)
	case wrongly:
		j.besideEmbedded(reads, "reads itself back", t, path, pos)
	case writes.reach == byPointer && j.within != nil:
		j.withoutAddress(writes, t, path)
	case !writes.absent() && reads.absent() && !j.OneWay:
		j.Add(pos, j.Code, "give it "+opposite[writes.name], "%s: %s writes itself (%s) and does not read itself back", path, j.Display(t), writes.name)
	}
	return !writes.absent() || wrongly
}

// opposite names the method that goes the other way.
var opposite = map[string]string{
	marshalJSON.name: unmarshalJSON.name, unmarshalJSON.name: marshalJSON.name,
	marshalText.name: unmarshalText.name, unmarshalText.name: marshalText.name,
	valuer.name: scanner.name, scanner.name: valuer.name,
}

// besideEmbedded reports a method that is an embedded field's and knows nothing of the fields beside it.
func (j *jsonCheck) besideEmbedded(m method, does string, t types.Type, path string, pos token.Pos) {
	if j.fields[m.from.Origin()] != nil {
		pos = m.from.Pos()
	}
	fix := nameIt(m.from, j.Display(m.from.Type())) + ", or give " + j.Display(t) + " methods of its own"
	j.Add(pos, j.Code, fix, "%s: %s", path, j.promotes(m, does, t))
}

// withoutAddress reports what is lost of a map's elements.
func (j *jsonCheck) withoutAddress(m method, t types.Type, path string) {
	in := ""
	if path != j.within.path {
		in = " in " + path
	}
	fix := "make its elements pointers"
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() == j.Package.Types && m.from == nil {
		fix += ", or give " + m.name + " a value receiver"
	}
	j.Add(j.within.pos, j.Code, fix,
		"%s is a map, whose elements have no address: JSON does not call %s of *%s%s", j.within.path, m.name, j.Display(t), in)
}

// flattened checks an embedded struct, whose fields JSON takes for those of the struct around it. A form of its own
// is not asked for: that struct has it too, or else two of them cancel each other out.
func (j *jsonCheck) flattened(f *types.Var, inner types.Type, path string) {
	writes := jsonWriter(inner)
	if writes.absent() {
		j.field(f, path)
		return
	}
	pos := j.Pos
	if j.fields[f.Origin()] != nil {
		pos = f.Pos()
	}
	j.Add(pos, j.Code, nameIt(f, j.Display(f.Type())),
		"field %s of %s is embedded beside another %s: JSON calls neither, and takes its exported fields alone", f.Name(), path, writes.name)
}

// promotes says that a type's method is an embedded field's.
func (r *Resolver) promotes(m method, does string, t types.Type) string {
	what := "fields"
	if len(m.lost) == 1 {
		what = "field"
	}
	return fmt.Sprintf("%s %s by %s of the embedded %s: %s %s beside it would be lost",
		r.Display(t), does, m.name, r.Display(m.from.Type()), what, strings.Join(m.lost, ", "))
}

// nameIt advises to make an embedded field one with a name, which need not be another one.
func nameIt(f *types.Var, display string) string {
	return "give the embedded field a name (" + f.Name() + " " + display + ")"
}
