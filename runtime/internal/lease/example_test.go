package lease_test

import (
	"fmt"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/step"
)

// places counts the free places of a queue.
type places int

func (p *places) Put(n int) { *p += places(n) }
func (p *places) Announce() {}

// A held step has its place until its handler is back and it is settled, whichever comes last. Once it is lost, no execution
// of it begins any more.
func ExampleKeeper_Hold() {
	var free places
	keeper := &lease.Keeper{}
	s := &lease.Held{ID: 7, Epoch: 3, Place: &free}
	keeper.Hold(s)
	fmt.Println("held:", len(keeper.All()), "free:", free)

	s.End(failure.ErrLeaseLost)
	fmt.Println(s.Enter(&step.Execution{}))
	fmt.Println("settles:", s.SettleOnce(), s.SettleOnce())

	keeper.Finished(s) // it is settled
	fmt.Println("held:", len(keeper.All()), "free:", free)
	s.Leave() // its handler is back
	fmt.Println("held:", len(keeper.All()), "free:", free)
	// Output:
	// held: 1 free: 0
	// idem: lease lost: the step was taken over or cancelled, and this execution's writes are rolled back
	// settles: true false
	// held: 0 free: 0
	// held: 0 free: 1
}
