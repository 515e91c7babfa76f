package wrong

import (
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/faulttest"
)

// desk returns a Desk at the test's database.
func desk(f *faulttest.F) (*Desk, shop.Order) {
	return &Desk{Pool: f.Pool, Client: runtime.NewClient(f.Pool, runtime.WithoutNotify()), Folder: f.TempDir()}, shop.Sample
}
