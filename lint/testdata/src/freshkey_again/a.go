package freshkey_again

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"freshkey_again/mint"
)

type Client interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

type Handler struct{ c Client }

func newKey() string { return "mail-" + uuid.NewString() }

func (h *Handler) ProcessTask(ctx context.Context, t *asynq.Task) error {
	if err := h.c.Send(ctx, newKey(), "a"); err != nil { // want `\[freshkey\]`
		return err
	}
	if err := h.c.Send(ctx, mint.Key("mail"), "a"); err != nil { // want `\[freshkey\]`
		return err
	}
	if err := mint.Send(ctx, h.c, "a"); err != nil { // want `\[freshkey\]`
		return err
	}
	return h.notify(ctx)
}

// notify is called by a handler, so it runs again with it.
func (h *Handler) notify(ctx context.Context) error {
	b := make([]byte, 16)
	if _, err := crand.Read(b); err != nil {
		return err
	}
	if err := h.c.Send(ctx, hex.EncodeToString(b), "b"); err != nil { // want `\[freshkey\]`
		return err
	}
	if err := h.c.Send(ctx, fmt.Sprintf("b-%d", rand.IntN(1000)), "b"); err != nil { // want `\[freshkey\]`
		return err
	}
	host, _ := os.Hostname()
	if err := h.c.Send(ctx, host+"/b", "b"); err != nil { // want `\[freshkey\]`
		return err
	}
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte(time.Now().String()))
	return h.c.Send(ctx, id.String(), "b") // want `\[freshkey\]`
}

func Retried(ctx context.Context, c Client) error {
	return retry.Do(func() error {
		return c.Send(ctx, uuid.NewString(), "c") // want `\[freshkey\]`
	})
}

func Named(ctx context.Context, c Client) error {
	attempt := func() error { return nil }
	_ = attempt
	return retry.Do(once)
}

func once() error {
	req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", uuid.NewString()) // want `\[freshkey\]`
	_, err = http.DefaultClient.Do(req)
	return err
}

func Loop(ctx context.Context, c Client) error {
	var err error
	for i := 0; i < 3; i++ {
		if err = c.Send(ctx, uuid.NewString(), "d"); err == nil { // want `\[freshkey\]`
			return nil
		}
	}
	return err
}
