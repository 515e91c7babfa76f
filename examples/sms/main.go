// Command sms shows what becomes of calls of another system whose answers get lost:
//
//	go run ./examples/sms
//
// A clinic (package clinic) sends text messages by the API of a carrier (package carrier). The program has all of it: the
// clinic's worker, the carrier as an HTTP server that loses answers, and a throwaway database. It shows
//
//   - a message whose answer is lost: the step waits, finds the message by a lookup, and goes on;
//   - a message that is taken back, by a recall whose answer is lost: it is sent again under its key, and takes the
//     message back once;
//   - a message whose answer is lost where there is no lookup, past the time for which the carrier remembers keys: it
//     stays unknown, and nothing is sent, until an operator has found out and decides.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/examples/internal/throwaway"
	"github.com/idem-go/idem/examples/sms/carrier"
	"github.com/idem-go/idem/examples/sms/clinic"
	"github.com/idem-go/idem/examples/sms/migrations"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sms:", err)
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
	pool, err := server.Database(ctx, texts...)
	if err != nil {
		return err
	}
	c, err := carrier.Start()
	if err != nil {
		return err
	}
	defer c.Close()
	stop, err := startClinic(ctx, pool, c.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	s := &story{out: out, carrier: c, client: runtime.NewClient(pool), operator: provider.NewOperator(pool)}
	return s.tell(ctx)
}

// startClinic runs a worker that sends messages, until stop is called.
func startClinic(ctx context.Context, pool *pgxpool.Pool, carrierURL string) (stop func() error, err error) {
	desk := &clinic.Desk{Carrier: &clinic.Carrier{URL: carrierURL, Client: &http.Client{}}}
	registry := runtime.NewRegistry()
	clinic.RegisterDeskRemind(registry, desk)
	clinic.RegisterDeskCancel(registry, desk)
	clinic.RegisterDeskVerify(registry, desk)
	clinic.RegisterCarrierSendSMSUndo(registry, desk.Carrier) // for idem intents compensate
	worker, err := runtime.NewWorker(pool, registry, runtime.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- worker.Run(ctx) }()
	return func() error {
		cancel()
		defer desk.Carrier.Client.CloseIdleConnections()
		return <-ended
	}, nil
}
