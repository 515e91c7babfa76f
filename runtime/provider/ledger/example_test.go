package ledger_test

import (
	"context"
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/provider/ledger"
)

// The answer to a request is lost, and the same key is sent again: two requests, one effect. When the provider has
// forgotten the key, there is a second one.
func Example() {
	l, err := ledger.Start(ledger.Window(24 * time.Hour))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	ctx, client := context.Background(), ledger.Client{URL: l.URL()}

	l.Next(ledger.Drop)
	_, err = client.Send(ctx, "payment-1", 100)
	fmt.Println("answered:", err == nil)
	_, err = client.Send(ctx, "payment-1", 100)
	fmt.Println("answered:", err == nil)
	fmt.Println(len(l.Requests("payment-1")), "requests,", l.Effects("payment-1"), "effect")

	l.Forget()
	_, err = client.Send(ctx, "payment-1", 100)
	fmt.Println("answered:", err == nil)
	fmt.Println(len(l.Requests("payment-1")), "requests,", l.Effects("payment-1"), "effects")
	// Output:
	// answered: false
	// answered: true
	// 2 requests, 1 effect
	// answered: true
	// 3 requests, 2 effects
}
