package directive_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"time"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/registry"
)

func ExampleRegistry_Parse() {
	report := func(_ token.Pos, code, fix, message string) { fmt.Println(code, message, fix) }
	d := registry.Kinds.Directives().Parse(&ast.Comment{Slash: 1, Text: "//idem:action charge timeout=10s"}, report)
	fmt.Println(directive.Format(d), directive.Value[time.Duration](d, "timeout"))
	// Output: //idem:action charge timeout=10s 10s
}
