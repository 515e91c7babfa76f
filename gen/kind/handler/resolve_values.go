package handler

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"
	"unicode"
)

// sampleValue is how a type's values are written that have a form of their own.
type sampleValue struct {
	first, second string // as [model.Type.Expr]
	changeable    bool   // as in [sampler]
}

// sampleValues are the types that are known by name.
var sampleValues = map[string]sampleValue{
	"time.Time": {
		"${time}.Date(2026, ${time}.January, 2, 3, 4, 5, 0, ${time}.UTC)",
		"${time}.Date(2026, ${time}.January, 3, 3, 4, 5, 0, ${time}.UTC)", true,
	},
	"time.Duration":            {"${time}.Second", "2 * ${time}.Second", true},
	"encoding/json.RawMessage": {"${encoding/json}.RawMessage(`{\"a\": 1}`)", "${encoding/json}.RawMessage(`{\"a\": 2}`)", true},
	"encoding/json.Number":     {"${encoding/json}.Number(\"1\")", "${encoding/json}.Number(\"2\")", true},
	"math/big.Int":             {"*${math/big}.NewInt(1)", "*${math/big}.NewInt(2)", true},
	"math/big.Rat":             {"*${math/big}.NewRat(1, 3)", "*${math/big}.NewRat(2, 3)", false},
	"math/big.Float":           {"*${math/big}.NewFloat(1)", "*${math/big}.NewFloat(2)", false},
	"net.IP":                   {"${net}.IPv4(192, 0, 2, 1)", "${net}.IPv4(192, 0, 2, 2)", false},
	"net/netip.Addr":           {"${net/netip}.MustParseAddr(\"192.0.2.1\")", "${net/netip}.MustParseAddr(\"192.0.2.2\")", false},
	"net/netip.AddrPort":       {"${net/netip}.MustParseAddrPort(\"192.0.2.1:80\")", "${net/netip}.MustParseAddrPort(\"192.0.2.2:80\")", false},
	"net/netip.Prefix":         {"${net/netip}.MustParsePrefix(\"192.0.2.0/24\")", "${net/netip}.MustParsePrefix(\"198.51.100.0/24\")", false},

	"github.com/shopspring/decimal.Decimal": {
		"${github.com/shopspring/decimal}.NewFromInt(1)", "${github.com/shopspring/decimal}.NewFromInt(2)", false,
	},
	"github.com/cockroachdb/apd/v3.Decimal": {
		"*${github.com/cockroachdb/apd/v3}.New(1, 0)", "*${github.com/cockroachdb/apd/v3}.New(2, 0)", false,
	},
}

// known writes a value of a type that is known by name, where its package was loaded with its functions.
func (s *sampler) known(t types.Type) (*Sample, bool) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil, false
	}
	pkg := named.Obj().Pkg()
	value, ok := sampleValues[pkg.Path()+"."+named.Obj().Name()]
	if !ok || !s.declares(pkg.Path(), value.first) {
		return nil, false
	}
	s.changeable = s.changeable || value.changeable
	text := value.first
	if s.n == 2 {
		text = value.second
	}
	return &Sample{Head: text, Imports: map[string]string{pkg.Path(): pkg.Name()}}, true
}

// declares reports whether a package was loaded with what a value is written with.
func (s *sampler) declares(path, value string) bool {
	_, name, _ := strings.Cut(value, "${"+path+"}.")
	name = name[:strings.IndexFunc(name+"(", func(r rune) bool { return !unicode.IsLetter(r) })]
	pkg := s.Program.Imported(path)
	return pkg != nil && pkg.Scope().Lookup(name) != nil
}

// constant returns a constant of the type, where its package declares some: other values may mean nothing.
func (s *sampler) constant(t types.Type) *Sample {
	named, ok := types.Unalias(t).(*types.Named)
	if _, basic := t.Underlying().(*types.Basic); !ok || !basic || named.Obj().Pkg() == nil {
		return nil
	}
	pkg := named.Obj().Pkg()
	var found []*types.Const
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if ok && types.Identical(c.Type(), t) && !isZero(c.Val()) && s.canName(c) && mayImport(s.Package.Path, pkg.Path()) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil
	}
	c := found[0]
	for _, other := range found[1:] {
		if s.n == 2 && !constant.Compare(other.Val(), token.EQL, c.Val()) {
			c = other
			break
		}
	}
	if pkg.Path() == s.Package.Path {
		return &Sample{Head: c.Name()}
	}
	return &Sample{Head: "${" + pkg.Path() + "}." + c.Name(), Imports: map[string]string{pkg.Path(): pkg.Name()}}
}

func (s *sampler) canName(c *types.Const) bool {
	return c.Name() != "_" && (c.Exported() || c.Pkg().Path() == s.Package.Path)
}

func isZero(v constant.Value) bool {
	switch v.Kind() {
	case constant.String:
		return constant.StringVal(v) == ""
	case constant.Bool:
		return !constant.BoolVal(v)
	}
	return strings.Trim(v.ExactString(), "0") == ""
}
