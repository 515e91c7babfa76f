package right

import (
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime/faulttest"
)

// desk returns a Desk.
func desk(*faulttest.F) (*Desk, shop.Order) { return &Desk{}, shop.Sample }
