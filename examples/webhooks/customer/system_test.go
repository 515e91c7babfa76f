package customer_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/idem-go/idem/examples/webhooks/customer"
	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/pgtest"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := migrations.Up(ctx, pool, migrations.DefaultSchema); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, customer.Schema)
	return err
}

func newSystem(t *testing.T) *customer.System {
	t.Helper()
	s, err := customer.New(pgtest.New(t, pgtest.Migrated("customer", migrate)), "ann", secret)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// post hands a webhook over, signed with a secret, and returns the answer.
func post(t *testing.T, s *customer.System, secret, id, body string) string {
	t.Helper()
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	signature, err := webhook.Sign(id, now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/hooks", strings.NewReader(body))
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("webhook-signature", signature)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
}

// Each webhook is booked once, and what is not the shop's, or not what it was, is not booked at all.
func TestSystem(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	const body, other = `{"order_id":"o-1","total_cents":1}`, `{"order_id":"o-1","total_cents":2}`
	for _, step := range []struct {
		what, secret, id, body, answer string
		bookings                       int
	}{
		{"the first", secret, "cmd_1", body, "200 taken", 1},
		{"again", secret, "cmd_1", body, "200 known", 1},
		{"another payload under the id", secret, "cmd_1", other, "422 another payload came under this id", 1},
		{"another order", secret, "cmd_2", body, "200 taken", 2},
		{"another secret", "whsec_bmV4dCBzZWNyZXQsIDI0IGJ5dGVzIG9mIGl0", "cmd_3", body, "401 the signature is not the shop's", 2},
		{"no JSON", secret, "cmd_4", "{", "400 no order", 2},
		{"too large", secret, "cmd_5", strings.Repeat(" ", 1<<20), "400 the webhook cannot be read, or is too large", 2},
	} {
		if got := post(t, s, step.secret, step.id, step.body); got != step.answer {
			t.Errorf("%s: answered with %q, want %q", step.what, got, step.answer)
		}
		if n, err := s.Bookings(t.Context()); n != step.bookings || err != nil {
			t.Errorf("%s: %d bookings, %v, want %d", step.what, n, err, step.bookings)
		}
	}
}
