// Command payments is a small payment service on idem: it runs workers, and enqueues from the command line.
//
//	export DATABASE_URL=postgres://localhost/payments
//	go run ./cmd/idem migrate up --database "$DATABASE_URL"
//	cat examples/payments/migrations/*.sql | psql "$DATABASE_URL"
//	go run ./examples/payments work &
//	go run ./examples/payments charge ann 1250
//
// The text that `payments help` prints has the other commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/examples/payments/billing"
	"github.com/idem-go/idem/runtime"
)

const usage = `usage: payments COMMAND

  work                           run a worker until Ctrl-C
  charge USER CENTS [KEY]        charge a user; a KEY makes that happen once however often it is asked for
  order ORDER USER CENTS         charge an order; its receipt follows
  invoice ORDER CENTS            finalise an order's invoice, wait for it and print its number
  foreign USER CURRENCY UNITS    charge in a foreign currency (eur, chf), wait and print the amount
  show RUN                       print what became of a run

The database is DATABASE_URL.
`

var errUsage = errors.New("wrong arguments, see: payments help")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "payments:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 || args[0] == "help" {
		_, err := io.WriteString(out, usage)
		return err
	}
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return errors.New("DATABASE_URL cannot be used; it must be a postgres:// URL")
	}
	defer pool.Close()
	if args[0] == "work" {
		return work(ctx, pool)
	}
	client := runtime.NewClient(pool)
	switch command, rest := args[0], args[1:]; {
	case command == "charge" && (len(rest) == 2 || len(rest) == 3):
		return charge(ctx, client, rest, out)
	case command == "order" && len(rest) == 3:
		return order(ctx, client, rest, out)
	case command == "invoice" && len(rest) == 2:
		return invoice(ctx, client, rest, out)
	case command == "foreign" && len(rest) == 3:
		return foreign(ctx, client, rest, out)
	case command == "show" && len(rest) == 1:
		return show(ctx, client, rest[0], out)
	}
	return errUsage
}

// fixedRates stands for the service that a real one would ask.
type fixedRates map[string]int64

// Cents implements [billing.Rates].
func (r fixedRates) Cents(_ context.Context, currency string) (int64, error) {
	cents, known := r[currency]
	if !known {
		return 0, runtime.Permanent(fmt.Errorf("no rate for %q", currency))
	}
	return cents, nil
}

func work(ctx context.Context, pool *pgxpool.Pool) error {
	registry := runtime.NewRegistry()
	billing.RegisterCharge(registry)
	billing.RegisterChargeOrder(registry)
	billing.RegisterSendReceipt(registry)
	billing.RegisterFinalizeInvoice(registry)
	billing.RegisterExchangePayment(registry, &billing.Exchange{Rates: fixedRates{"eur": 108, "chf": 113}})
	worker, err := runtime.NewWorker(pool, registry, runtime.Config{})
	if err != nil {
		return err
	}
	return worker.Run(ctx)
}

func charge(ctx context.Context, client *runtime.Client, args []string, out io.Writer) error {
	cents, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return errUsage
	}
	var opts []runtime.EnqueueOption
	if len(args) == 3 {
		opts = append(opts, runtime.WithKey("", args[2]))
	}
	run, err := billing.ChargeAction.Enqueue(ctx, client, billing.ChargeInput{UserID: args[0], AmountCents: cents}, opts...)
	return enqueued(out, run, err)
}

func order(ctx context.Context, client *runtime.Client, args []string, out io.Writer) error {
	cents, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return errUsage
	}
	// The order is the command's identity: asking twice charges once.
	run, err := billing.ChargeOrderAction.Enqueue(ctx, client,
		billing.OrderInput{OrderID: args[0], UserID: args[1], AmountCents: cents}, runtime.WithKey("", args[0]))
	return enqueued(out, run, err)
}

func invoice(ctx context.Context, client *runtime.Client, args []string, out io.Writer) error {
	cents, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return errUsage
	}
	run, err := billing.FinalizeInvoiceStep.Enqueue(ctx, client, billing.InvoiceInput{OrderID: args[0], TotalCents: cents})
	if err != nil {
		return err
	}
	result, err := billing.FinalizeInvoiceStep.Output(ctx, client, run)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "invoice %d (created now: %t)\n", result.InvoiceID, result.Created)
	return err
}

func foreign(ctx context.Context, client *runtime.Client, args []string, out io.Writer) error {
	units, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return errUsage
	}
	run, err := billing.ExchangePaymentStep.Enqueue(ctx, client, billing.ForeignInput{UserID: args[0], Currency: args[1], Units: units})
	if err != nil {
		return err
	}
	result, err := billing.ExchangePaymentStep.Output(ctx, client, run)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "charged %d cents\n", result.AmountCents)
	return err
}

func enqueued(out io.Writer, run runtime.Run, err error) error {
	if err != nil {
		return err
	}
	again := ""
	if run.Duplicate {
		again = " (enqueued before)"
	}
	_, err = fmt.Fprintf(out, "run %s%s\n", run.ID, again)
	return err
}

func show(ctx context.Context, client *runtime.Client, runID string, out io.Writer) error {
	steps, err := client.Steps(ctx, runID)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		return fmt.Errorf("%w: run %s", runtime.ErrNotFound, runID)
	}
	for _, s := range steps {
		if _, err := fmt.Fprintf(out, "%-18s %-10s attempt %d, reclaims %d  %s %s\n", s.Node, s.State, s.Attempt, s.Reclaims, s.Reason, s.Error); err != nil {
			return err
		}
	}
	return nil
}
