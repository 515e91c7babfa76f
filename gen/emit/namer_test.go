package emit

import (
	"maps"
	"testing"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// stub is a declaration that takes names.
type stub struct{ names, params []string }

func (s stub) At() diag.Position              { return diag.Position{} }
func (s stub) Order() string                  { return "" }
func (s stub) Selector() string               { return "" }
func (s stub) GeneratedNames() []string       { return s.names }
func (s stub) Claims() []model.Claim          { return nil }
func (s stub) Imports() map[string]string     { return nil }
func (s stub) Params(*model.Package) []string { return s.params }
func (s stub) Emit(*File) error               { return nil }

func TestNamer(t *testing.T) {
	const money = "example.com/money"
	const runtimePath = model.RuntimePath
	for name, c := range map[string]struct {
		pkg  model.Package
		real map[string]string
		want map[string]string
	}{
		"own names": {real: map[string]string{runtimePath: "runtime", money: "money"}, want: map[string]string{runtimePath: "runtime", money: "money"}},
		"name is not the folder": {
			real: map[string]string{"gopkg.in/yaml.v3": "yaml"}, want: map[string]string{"gopkg.in/yaml.v3": "yaml"},
		},
		"declared in the package": {
			model.Package{Names: []string{"money", "runtime"}},
			map[string]string{runtimePath: "runtime", money: "money"},
			map[string]string{runtimePath: "idemruntime", money: "examplecommoney"},
		},
		"generated": {
			model.Package{Declarations: []model.Declaration{stub{names: []string{"rowEffect"}}}},
			map[string]string{"example.com/x/rowEffect": "rowEffect"}, map[string]string{"example.com/x/rowEffect": "xrowEffect"},
		},
		"three of one name": {
			real: map[string]string{"example.com/a/money": "money", "example.com/b/money": "money", "example.com/c/b/money": "money"},
			want: map[string]string{"example.com/a/money": "money", "example.com/b/money": "bmoney", "example.com/c/b/money": "money2"},
		},
		"the library keeps its name": {
			real: map[string]string{"a.test/time": "time", "time": "time"}, want: map[string]string{"time": "time", "a.test/time": "atesttime"},
		},
		"parameters": {
			model.Package{Declarations: []model.Declaration{stub{params: []string{"r", "b"}}}},
			map[string]string{"x.test/a/ctx": "ctx", "x.test/a/row": "row", "x.test/a/b": "b", "x.test/a/r": "r"},
			map[string]string{"x.test/a/ctx": "actx", "x.test/a/row": "arow", "x.test/a/b": "ab", "x.test/a/r": "ar"},
		},
		"predeclared": {
			real: map[string]string{"x.test/a/string": "string", "x.test/1/len": "len"},
			want: map[string]string{"x.test/a/string": "astring", "x.test/1/len": "len2"},
		},
	} {
		if got := newNamer(&c.pkg, c.real).imports; !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestReceiverName(t *testing.T) {
	for typ, want := range map[string]string{"Billing": "b", "Refunds": "h", "registry": "h", "Ärger": "ä", "_x": "h", "x": "x"} {
		if got := ReceiverName(typ); got != want {
			t.Errorf("%s: got %s, want %s", typ, got, want)
		}
	}
}
