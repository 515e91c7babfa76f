package emit_test

import (
	"fmt"
	"strings"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/model"
)

func ExampleGo() {
	code, err := emit.Go(&model.Package{
		Path: "example.com/shop", Name: "shop", Names: []string{"Charge", "ChargeInput"},
		Declarations: []model.Declaration{handler.Handler{Kind: handler.Action, Name: "charge", Func: "Charge", In: model.Type{Expr: "ChargeInput"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, definition, _ := strings.Cut(string(code), "var ")
	fmt.Println(strings.SplitN(definition, "\n", 2)[0])
	// Output: ChargeAction = runtime.NewAction[ChargeInput]("charge")
}
