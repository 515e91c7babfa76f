package resolve

import (
	"go/ast"
	"go/token"
	"reflect"
	"strings"
)

// tagPos finds a byte of the db tag's value in the source. Where escapes hide it, the tags' own place
// serves.
func tagPos(field *ast.Field, tags string, at int) token.Pos {
	value := reflect.StructTag(tags).Get("db")
	start := strings.Index(field.Tag.Value, `db:"`+value+`"`)
	if at < 0 || start < 0 {
		return field.Tag.Pos()
	}
	return field.Tag.Pos() + token.Pos(start+len(`db:"`)+at)
}
