package resolve

import (
	"go/ast"
	"go/doc"
	"strings"
)

// synopsis gives the first sentence of a doc comment without the name that it begins with.
func synopsis(group *ast.CommentGroup, name string) string {
	first := new(doc.Package).Synopsis(group.Text())
	if rest, ok := strings.CutPrefix(first, name+" "); ok {
		return rest
	}
	return first
}
