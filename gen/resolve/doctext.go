package resolve

import (
	"go/ast"
	"go/doc"
	"strings"
)

// Synopsis returns the first sentence of a doc comment without the name that it begins with.
func Synopsis(group *ast.CommentGroup, name string) string {
	first := new(doc.Package).Synopsis(group.Text())
	if rest, ok := strings.CutPrefix(first, name+" "); ok {
		return rest
	}
	return first
}
