package throwaway_test

import (
	"context"
	"fmt"
	"log"

	"github.com/idem-go/idem/examples/internal/throwaway"
)

// An example makes a database with its migrations, and leaves nothing behind.
func Example() {
	ctx := context.Background()
	server, err := throwaway.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	pool, err := server.Database(ctx, `CREATE TABLE orders (id text); INSERT INTO orders VALUES ('o-1')`)
	if err != nil {
		log.Fatal(err)
	}
	var orders, steps int
	if err := pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM idem.steps)`).Scan(&orders, &steps); err != nil {
		log.Fatal(err)
	}
	fmt.Println(orders, steps)
	if err := server.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: 1 0
}
