package docs_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/examples/webhooks/shop"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

// sendWebhooks sends the shop's webhooks until ctx ends. Any number of processes may do so.
func sendWebhooks(ctx context.Context, pool *pgxpool.Pool, secret httpsender.Secret) error {
	sender, err := httpsender.New(httpsender.Config{Secrets: httpsender.StaticSecrets(secret)})
	if err != nil {
		return err
	}
	relay, err := shop.NewWebhookRelay(pool, sender, outbox.Config{Window: 24 * time.Hour})
	if err != nil {
		return err
	}
	return relay.Run(ctx)
}

// A destination that is not public is rejected before anything is sent to it.
func TestWebhooksAreSent(t *testing.T) {
	t.Parallel()
	pool := newDatabase(t)
	secret, err := httpsender.ParseSecret("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz")
	if err != nil {
		t.Fatal(err)
	}
	webhook := shop.Webhook{URL: "https://127.0.0.1/hook", Customer: "ann", Body: []byte(`{}`)}
	if err := shop.QueueWebhookTx(t.Context(), pool, "o-1", webhook); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- sendWebhooks(ctx, pool, secret) }()
	deadline := time.Now().Add(time.Minute)
	for count(t, pool, `webhook_outbox WHERE state = 'rejected' AND last_error LIKE 'target_forbidden%'`) == 0 {
		if time.Now().After(deadline) {
			t.Error("the webhook is not rejected")
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
