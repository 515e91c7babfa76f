package runtime_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

// Greeting is what the examples' action is given.
type Greeting struct{ Name string }

// GreetAction is defined here by hand; idem generate writes such definitions from //idem:action.
var GreetAction = runtime.NewAction[Greeting]("greet", runtime.WithTimeout(5*time.Second), runtime.WithMaxReclaims(10))

// A worker runs the handlers of a registry until its context ends.
func ExampleNewWorker() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://localhost/shop")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	registry := runtime.NewRegistry()
	runtime.RegisterAction(registry, GreetAction, func(ctx runtime.Context, in Greeting) error {
		// The row and the step's completion commit together, or neither does.
		_, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO greetings (name) VALUES ($1)`, in.Name)
		return err
	})
	worker, err := runtime.NewWorker(pool, registry, runtime.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if err := worker.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

// A key makes enqueueing idempotent: the second call finds the first one's run.
func ExampleAction_Enqueue() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://localhost/shop")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	client := runtime.NewClient(pool)
	for range 2 {
		run, err := GreetAction.Enqueue(ctx, client, Greeting{Name: "Ann"}, runtime.WithKey("", "greet Ann"))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(run.ID, run.Duplicate)
	}
}

// What leaves no doubt that a retry is of no use is said with Permanent.
func ExamplePermanent() {
	runtime.RegisterAction(runtime.NewRegistry(), GreetAction, func(_ runtime.Context, in Greeting) error {
		if in.Name == "" {
			return runtime.Permanent(fmt.Errorf("nobody to greet"))
		}
		return nil
	})
}
