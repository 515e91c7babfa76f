package fault_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
)

func Example() {
	mix := fault.Mix{{Kind: "kill", Of: 90}, {Kind: "restart", Of: 10, Server: true}}
	faults := mix.Plan(rand.New(rand.NewPCG(1, 1)), 40*time.Millisecond, time.Millisecond, 10*time.Millisecond, func(*fault.Fault) {})
	var landings fault.Landings
	err := landings.Run(context.Background(), faults, func(_ context.Context, f fault.Fault) (landed bool, err error) {
		return f.Kind == "kill", nil
	})
	fmt.Println(err, landings.ByKind()["kill"] > 0)
	fmt.Println(mix.Missed("I12", faults, landings.ByKind()).Count, "kind missed")
	// Output:
	// <nil> true
	// 1 kind missed
}

func ExampleMix_Preview() {
	mix := fault.Mix{{Kind: "kill", Of: 90}, {Kind: "restart", Of: 10, Server: true}}
	faults := []fault.Fault{{At: 500, Kind: "kill", Victim: 2, For: 1500}}
	for range 9 {
		faults = append(faults, fault.Fault{At: 2000, Kind: "restart"})
	}
	lines := mix.Preview(faults)
	fmt.Println(lines[0])
	fmt.Println(lines[1])
	fmt.Println(lines[len(lines)-1])
	// Output:
	// kill 1, restart 9
	//    0.5 s  kill     place 2  for 1.5 s
	// ... and 2 more; --report FILE has all of them
}
