package emit

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// The names of parameters and results in generated functions that several kinds have. No import of a generated file
// is called like one of them.
const (
	CtxName      = "ctx"
	RowName      = "row"
	StoredName   = "stored"
	InsertedName = "inserted"
	ErrName      = "err"
	TestName     = "t"
	FaultsName   = "f"
	InputName    = "in"
	RegistryName = "r"
	// RecvFallback names a receiver whose type gives no letter of its own.
	RecvFallback = "h"
)

// namer gives each import a name that nothing else in the file has: no declaration of the package, no
// predeclared identifier, no parameter.
type namer struct {
	taken   map[string]bool
	imports map[string]string // path to name
}

// newNamer names the imports of a package's generated file. real maps their paths to the real names.
func newNamer(p *model.Package, real map[string]string) *namer {
	n := &namer{taken: map[string]bool{}, imports: map[string]string{}}
	n.take(types.Universe.Names()...)
	n.take(p.Names...)
	n.take(p.TestNames...)
	n.take(p.GeneratedNames()...)
	n.take(CtxName, RowName, StoredName, InsertedName, ErrName, TestName, FaultsName, InputName)
	for _, d := range model.All[Declaration](p) {
		n.take(d.Params(p)...)
	}
	for _, path := range byFamiliarity(real) {
		n.imports[path] = n.pick(path, real[path])
	}
	return n
}

// byFamiliarity sorts paths such that those come first whose names readers know: when two packages are
// called alike, the runtime and the standard library keep their names.
func byFamiliarity(real map[string]string) []string {
	rank := func(path string) int {
		switch {
		case model.Runtime[path] != "":
			return 0
		case isStandard(path):
			return 1
		}
		return 2
	}
	return slices.SortedFunc(maps.Keys(real), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

func (n *namer) take(names ...string) {
	for _, name := range names {
		n.taken[name] = true
	}
}

// pick takes the package's own name if that is free, else the parent folder's in front of it, else a number
// behind it.
func (n *namer) pick(importPath, real string) string {
	candidate := real
	for i := 1; !n.free(candidate); i++ {
		candidate = parentWord(importPath) + real
		if i > 1 {
			candidate = fmt.Sprint(real, i)
		}
	}
	n.take(candidate)
	return candidate
}

func (n *namer) free(name string) bool {
	return token.IsIdentifier(name) && name != "_" && name != "init" && !n.taken[name]
}

// parentWord is what can stand in an identifier of the folder above the package's.
func parentWord(importPath string) string {
	parent := path.Base(path.Dir(importPath))
	word := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, parent)
	return strings.TrimLeftFunc(word, unicode.IsDigit)
}

// Local is a name for what is declared in a function, which must not hide anything of the package there.
func Local(p *model.Package, name string) string {
	taken := func(name string) bool {
		return slices.Contains(p.Names, name) || slices.Contains(p.TestNames, name) || slices.Contains(p.GeneratedNames(), name)
	}
	candidate := name
	for i := 2; taken(candidate); i++ {
		candidate = fmt.Sprint(name, i)
	}
	return candidate
}

// ReceiverName is the parameter that stands for a value of the receiver's type: b for Billing.
func ReceiverName(typeName string) string {
	first, _ := utf8.DecodeRuneInString(typeName)
	name := string(unicode.ToLower(first))
	if !token.IsIdentifier(name) || name == "_" || name == RegistryName {
		return RecvFallback
	}
	return name
}

// ReceiverType writes a receiver's type.
func ReceiverType(r model.Recv) jen.Code {
	if r.Pointer {
		return jen.Op("*").Id(r.Type)
	}
	return jen.Id(r.Type)
}
