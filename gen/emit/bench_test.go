package emit_test

import (
	"fmt"
	"testing"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/model"
)

// BenchmarkGo200 emits a package of 200 handlers and as many effects.
func BenchmarkGo200(b *testing.B) {
	p := &model.Package{Path: "example.com/p", Name: "p"}
	for i := range 200 {
		p.Declarations = append(p.Declarations, handler.Handler{
			Kind: handler.Action, Name: fmt.Sprint("handler_", i), Func: fmt.Sprint("Handler", i), In: local("Input"),
		})
		e := ledger()
		e.Type, e.Table = fmt.Sprint("Row", i), fmt.Sprint("rows_", i)
		p.Declarations = append(p.Declarations, e)
	}
	for b.Loop() {
		if _, err := emit.Go(p); err != nil {
			b.Fatal(err)
		}
	}
}
