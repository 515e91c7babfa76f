package listen_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/listen"
)

func ExampleListener() {
	config, err := pgx.ParseConfig("postgres://localhost/shop")
	if err != nil {
		log.Fatal(err)
	}
	l := listen.Listener{
		Config: config, Channel: "idem_steps", Log: slog.Default(),
		Ready:    func() { fmt.Println("look for what was announced before") },
		Notified: func(queue string) { fmt.Println("look at queue", queue) },
	}
	l.Run(context.Background())
}
