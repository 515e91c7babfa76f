package handler_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/model"
)

// The names of what is generated follow from the model alone.
func ExampleHandler() {
	h := handler.Handler{Kind: handler.Step, Name: "finalize_invoice", Func: "Finalize", Recv: &model.Recv{Type: "Billing", Pointer: true}}
	fmt.Println(h.Selector(), h.DefinitionName())
	// Output: Billing.Finalize BillingFinalizeStep
}
