package docs_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/examples/payments/billing"
	"github.com/idem-go/idem/runtime"
)

// retaining keeps completed steps for a month and discarded ones for three. No key comes again after two weeks.
var retaining = runtime.Config{Retention: runtime.Retention{
	Completed:    30 * 24 * time.Hour,
	Discarded:    90 * 24 * time.Hour,
	ReplayWindow: 14 * 24 * time.Hour,
}}

// TestRetentionOutlivesTheReplays: the page's setting is taken, and one that forgets too early is not.
func TestRetentionOutlivesTheReplays(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), "postgres://localhost/nobody_connects")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	registry := runtime.NewRegistry()
	billing.RegisterCharge(registry)
	if _, err := runtime.NewWorker(pool, registry, retaining); err != nil {
		t.Error(err)
	}
	tooShort := retaining
	tooShort.Retention.ReplayWindow = 60 * 24 * time.Hour
	if _, err := runtime.NewWorker(pool, registry, tooShort); !errors.Is(err, runtime.ErrRetention) {
		t.Errorf("a replay window longer than the retention: %v, want ErrRetention", err)
	}
}
