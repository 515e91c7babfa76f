package customer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
)

// Schema is the table of what the systems have booked. It has no key that could keep a booking from being made twice.
const Schema = `CREATE TABLE bookings (customer text NOT NULL, order_id text NOT NULL, total_cents bigint NOT NULL)`

// System is a customer's system.
type System struct {
	name    string
	pool    *pgxpool.Pool
	inbox   *outbox.Inbox
	webhook *standardwebhooks.Webhook
}

// New makes the system of a customer. secret is the one that the shop signs with.
func New(pool *pgxpool.Pool, name, secret string) (*System, error) {
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, err
	}
	inbox, err := outbox.NewInbox(pool, name, outbox.InboxConfig{})
	if err != nil {
		return nil, err
	}
	return &System{name, pool, inbox, webhook}, nil
}

// maxBody bounds a webhook, in bytes.
const maxBody = 64 << 10

// ServeHTTP takes a webhook. It answers "taken" the first time, and "known" when it comes again: to the shop both say
// that it is done.
func (s *System) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the webhook cannot be read, or is too large", http.StatusBadRequest)
		return
	}
	if err := s.webhook.Verify(body, r.Header); err != nil {
		http.Error(w, "the signature is not the shop's", http.StatusUnauthorized)
		return
	}
	var o order
	if err := json.Unmarshal(body, &o); err != nil {
		http.Error(w, "no order", http.StatusBadRequest)
		return
	}
	first, err := s.take(r.Context(), r.Header.Get("webhook-id"), body, o)
	switch {
	case errors.Is(err, runtime.ErrPayloadMismatch):
		http.Error(w, "another payload came under this id", http.StatusUnprocessableEntity)
	case err != nil:
		http.Error(w, "try again", http.StatusInternalServerError)
	case first:
		_, _ = io.WriteString(w, "taken")
	default:
		_, _ = io.WriteString(w, "known")
	}
}

// order is what a webhook says.
type order struct {
	OrderID    string `json:"order_id"`
	TotalCents int64  `json:"total_cents"`
}

// take remembers the webhook and makes its booking in one transaction. One that is known changes nothing.
func (s *System) take(ctx context.Context, id string, body []byte, o order) (first bool, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if first, err = s.inbox.Accept(ctx, tx, id, body); err != nil || !first {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO bookings VALUES ($1, $2, $3)`, s.name, o.OrderID, o.TotalCents)
		return err
	})
	return first, err
}

// Bookings counts what the system has booked.
func (s *System) Bookings(ctx context.Context) (n int, err error) {
	err = s.pool.QueryRow(ctx, `SELECT count(*) FROM bookings WHERE customer = $1`, s.name).Scan(&n)
	return n, err
}
