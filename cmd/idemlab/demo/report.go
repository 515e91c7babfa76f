package demo

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/progress"
)

// Report is what the demonstration found.
type Report struct {
	Runs         int // enqueued
	FollowUps    int // runs that the handlers of these enqueued
	Kills        int
	KilledInside int // handlers that were running in a killed worker
	Reclaims     int // steps that were taken over from a dead worker
	Executions   int // of handlers
	Repeated     int // steps whose handler began more than once
	Effects      []Effect
	Unfinished   int // steps that are not completed
	Took         time.Duration
}

// Effect is one kind of thing that the handlers leave behind, counted by the business's identities.
type Effect struct {
	Name       string
	Want       int
	Found      int // distinct ones
	Duplicates int // beyond the first of each
	Lost       int
}

// Duplicates of all effects.
func (r Report) Duplicates() (n int) {
	for _, e := range r.Effects {
		n += e.Duplicates
	}
	return n
}

// Lost effects.
func (r Report) Lost() (n int) {
	for _, e := range r.Effects {
		n += e.Lost
	}
	return n
}

// Fine reports whether every effect happened once.
func (r Report) Fine() bool { return r.Duplicates() == 0 && r.Lost() == 0 && r.Unfinished == 0 }

// The effects are counted by customer and order, over all rows: idem's keys play no part in it.
// Whether the accounts were charged twice shows in their balance, which no key protects.
const (
	countLedger   = `SELECT count(DISTINCT user_id), count(*) - count(DISTINCT user_id) FROM ledger`
	countPayments = `SELECT count(DISTINCT order_id), count(*) - count(DISTINCT order_id) FROM payments`
	countReceipts = `SELECT count(DISTINCT order_id), count(*) - count(DISTINCT order_id) FROM receipts`
	countInvoices = `SELECT count(DISTINCT order_id), count(*) - count(DISTINCT order_id) FROM invoices`
	countAccounts = `SELECT count(*), COALESCE(sum(a.owed_cents / p.amount_cents - 1), 0)
FROM accounts a JOIN (SELECT DISTINCT user_id, amount_cents FROM payments) p USING (user_id)`
)

func count(ctx context.Context, pool *pgxpool.Pool, w workload) (Report, error) {
	r := Report{Runs: w.runs(), FollowUps: w.orders}
	for _, e := range []struct {
		name, sql string
		want      int
	}{
		{"ledger rows", countLedger, w.charges},
		{"payments", countPayments, w.orders},
		{"amounts added to accounts (no key)", countAccounts, w.orders},
		{"receipts that follow an order", countReceipts, w.orders},
		{"invoices", countInvoices, w.invoices},
	} {
		effect := Effect{Name: e.name, Want: e.want}
		if err := pool.QueryRow(ctx, e.sql).Scan(&effect.Found, &effect.Duplicates); err != nil {
			return r, fmt.Errorf("count %s: %w", e.name, err)
		}
		effect.Lost = max(0, e.want-effect.Found)
		r.Effects = append(r.Effects, effect)
	}
	err := pool.QueryRow(ctx, `SELECT COALESCE(sum(reclaims), 0), count(*) FILTER (WHERE state <> 'completed') FROM idem.steps`).
		Scan(&r.Reclaims, &r.Unfinished)
	return r, err
}

// Write writes the report as tables.
func (r Report) Write(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n int, remark string) {
		fmt.Fprintf(t, "%s\t%s\t\v%s\n", name, progress.Thousands(n), remark)
	}
	row("runs", r.Runs, fmt.Sprintf("  and %s that follow from them, in %.1f s", progress.Thousands(r.FollowUps), r.Took.Seconds()))
	row("workers killed", r.Kills, fmt.Sprintf("  by SIGKILL, with %d handlers running in them", r.KilledInside))
	row("reclaims", r.Reclaims, "  steps taken over from a dead worker")
	row("handler executions", r.Executions, fmt.Sprintf("  %s steps ran more than once", progress.Thousands(r.Repeated)))
	if err := t.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	t = tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "  effect\texpected\tfound\tduplicates\tlost")
	fmt.Fprintln(t, "  ------\t--------\t-----\t----------\t----")
	for _, e := range r.Effects {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", e.Name, progress.Thousands(e.Want), progress.Thousands(e.Found), progress.Thousands(e.Duplicates), progress.Thousands(e.Lost))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", r.verdict())
	return err
}

func (r Report) verdict() string {
	if r.Fine() {
		return fmt.Sprintf("%d duplicates, %d lost: every effect happened once.", r.Duplicates(), r.Lost())
	}
	return fmt.Sprintf("%d duplicates, %d lost, %d steps not completed: this must not happen. Please report it with the seed above.",
		r.Duplicates(), r.Lost(), r.Unfinished)
}
