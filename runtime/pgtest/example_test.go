package pgtest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/pgtest"
)

// A program starts a server, uses databases on it, and stops it. Tests call pgtest.New(t) instead.
func ExampleStart() {
	ctx := context.Background()
	server, err := pgtest.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = server.Stop() }()

	url, err := server.NewDatabase(ctx)
	if err != nil {
		log.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()

	var greeting string
	if err := conn.QueryRow(ctx, "SELECT 'hello from a throwaway server'").Scan(&greeting); err != nil {
		log.Fatal(err)
	}
	fmt.Println(greeting)
	// Output: hello from a throwaway server
}
