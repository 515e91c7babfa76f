package migrations_test

import (
	"context"
	"fmt"
	"log"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/migrations"
)

// A service may bring its own database up to date when it starts; any number of them may start at once.
func ExampleUp() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://localhost/app")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	changes, err := migrations.Up(ctx, pool, migrations.DefaultSchema)
	for _, c := range changes {
		fmt.Println("applied", c.Version, c.Name)
	}
	if err != nil {
		log.Fatal(err)
	}
}
