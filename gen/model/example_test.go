package model_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/model"
)

// The stages find in a package what they have to do with, whatever kinds of directives there are.
func ExampleAll() {
	p := &model.Package{Declarations: []model.Declaration{thing("Charge"), thing("Pay")}}
	for _, d := range model.All[thing](p) {
		fmt.Println(d.Selector(), d.GeneratedNames())
	}
	fmt.Println(len(model.All[model.Tabled](p)))
	// Output:
	// Charge [RegisterCharge ChargeAction]
	// Pay [RegisterPay PayAction]
	// 0
}
