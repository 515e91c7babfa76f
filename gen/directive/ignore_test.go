package directive_test

import (
	"go/ast"
	"go/token"
	"testing"

	"github.com/idem-go/idem/gen/registry"
)

// TestIgnoreIsTheLinters: what silences the linter is no directive of the generator, whatever it says.
func TestIgnoreIsTheLinters(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"//idem:ignore freshkey -- a trace id, not a key", "//idem:ignore"} {
		report := func(_ token.Pos, code, _, message string) { t.Errorf("%s: %s: %s", text, code, message) }
		if d := registry.Kinds.Directives().Parse(&ast.Comment{Slash: 1, Text: text}, report); d != nil {
			t.Errorf("%s is taken for %v", text, d)
		}
	}
}
