package ok_freshkey_stable

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"ok_freshkey_stable/mint"
)

type Client interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

type Handler struct{ c Client }

func (h *Handler) ProcessTask(ctx context.Context, t *asynq.Task) error {
	id := uuid.NewSHA1(uuid.NameSpaceURL, t.Payload())
	if err := h.c.Send(ctx, id.String(), "a"); err != nil {
		return err
	}
	now := time.Now()
	day := fmt.Sprintf("report/%s", now.Format("2006-01-02"))
	if err := h.c.Send(ctx, day, "a"); err != nil {
		return err
	}
	if err := h.c.Send(ctx, "hour/"+now.Truncate(time.Hour).String(), "a"); err != nil {
		return err
	}
	if err := h.c.Send(ctx, fmt.Sprintf("window/%d", now.Unix()/3600), "a"); err != nil {
		return err
	}
	start := time.Now()
	fmt.Println(time.Since(start))
	return nil
}

// Minted once, used again and again.
func Once(ctx context.Context, c Client) error {
	key := mint.Key()
	for i := 0; i < 3; i++ {
		if c.Send(ctx, key, "b") == nil {
			return nil
		}
	}
	return backoff.Retry(func() error { return c.Send(ctx, key, "b") }, backoff.NewExponentialBackOff())
}

// The application hands its context around; nothing here runs again.
func Start(app dbos.DBOSContext, flow dbos.Workflow[string, string]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := dbos.RunWorkflow(app, flow, "in", dbos.WithWorkflowID(uuid.NewString())); err != nil {
			http.Error(w, "no", http.StatusBadGateway)
		}
	}
}

func Endpoint(c Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := c.Send(r.Context(), mint.Key(), "c"); err != nil {
			http.Error(w, "no", http.StatusBadGateway)
		}
	}
}
