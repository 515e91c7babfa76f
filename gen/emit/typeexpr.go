package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// TypeExpr writes a type of the model as code: each ${import/path}.Name becomes a qualified name.
func TypeExpr(t model.Type) (*jen.Statement, error) {
	code, rest := &jen.Statement{}, t.Expr
	for {
		plain, after, found := strings.Cut(rest, "${")
		if plain != "" {
			code.Op(plain)
		}
		if !found {
			return code, nil
		}
		path, tail, closed := strings.Cut(after, "}.")
		name := tail[:identEnd(tail)]
		if !closed || name == "" {
			return nil, fmt.Errorf("the type %q is not written as the model wants it", t.Expr)
		}
		if t.Imports[path] == "" {
			return nil, fmt.Errorf("the type %q does not tell the name of package %q", t.Expr, path)
		}
		code.Qual(path, name)
		rest = tail[len(name):]
	}
}

func identEnd(s string) int {
	for i, r := range s {
		if !isIdentRune(r) {
			return i
		}
	}
	return len(s)
}
