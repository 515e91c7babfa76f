// Command webhooks shows what becomes of commands that leave the database over HTTP:
//
//	go run ./examples/webhooks
//
// A shop (package shop) places orders, and each order's webhook is queued in the transaction that books it. A relay sends
// it to the customer's system (package customer), signed, until there is an answer. The program has all of it: the shop's
// worker and relay, three systems behind a network that loses answers, and two throwaway databases. It shows
//
//   - a delivery whose answer comes;
//   - one whose answer is lost after the system has booked the order: it is sent again under the same id, which the
//     system knows, so that the order is booked once;
//   - one that is never answered: whether it was done cannot be known from here, so that after three attempts nothing is
//     sent any more, and the command waits for an operator.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/idem-go/idem/examples/internal/throwaway"
	"github.com/idem-go/idem/examples/webhooks/customer"
	"github.com/idem-go/idem/examples/webhooks/migrations"
	"github.com/idem-go/idem/examples/webhooks/shop"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "webhooks:", err)
		os.Exit(1)
	}
}

// limit bounds the whole program, which takes a few seconds.
const limit = 2 * time.Minute

func run(ctx context.Context, out io.Writer) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	server, err := throwaway.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	texts, err := migrations.SQL()
	if err != nil {
		return err
	}
	orders, err := server.Database(ctx, texts...)
	if err != nil {
		return err
	}
	bookings, err := server.Database(ctx, customer.Schema)
	if err != nil {
		return err
	}
	s := &story{out: out, orders: orders, bookings: bookings, client: runtime.NewClient(orders), secrets: newSecrets("ann", "bob", "eve")}
	stop, err := startShop(ctx, orders, s.secrets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return s.tell(ctx)
}

// startShop runs a worker that places orders, and a relay that sends webhooks, until stop is called.
func startShop(ctx context.Context, pool *pgxpool.Pool, secrets secrets) (stop func() error, err error) {
	quiet := slog.New(slog.DiscardHandler)
	registry := runtime.NewRegistry()
	shop.RegisterPlaceOrder(registry)
	worker, err := runtime.NewWorker(pool, registry, runtime.Config{Logger: quiet})
	if err != nil {
		return nil, err
	}
	sender, err := httpsender.New(httpsender.Config{
		Secrets: secrets.of,
		// Outside of an example: https alone, and public addresses alone, as it is without these.
		AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	if err != nil {
		return nil, err
	}
	relay, err := shop.NewWebhookRelay(pool, sender, outbox.Config{
		MaxAttempts: maxAttempts, Backoff: 100 * time.Millisecond, Logger: quiet,
		Window: 24 * time.Hour, // how long the systems remember an id, by their terms
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return worker.Run(ctx) })
	group.Go(func() error { return relay.Run(ctx) })
	return func() error {
		cancel()
		defer sender.CloseIdleConnections()
		return group.Wait()
	}, nil
}

// maxAttempts is small so that the program ends soon; it is 20 without.
const maxAttempts = 3
