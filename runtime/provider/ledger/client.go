package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/idem-go/idem/runtime/provider"
)

// Client calls a ledger. Its methods have the forms of a provider's function, lookup and undo.
type Client struct {
	URL string
}

// Each request has a connection of its own: what becomes of one is not the next one's business.
var oneShot = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}

// Send books what v says under the key.
func (c Client) Send(ctx context.Context, key string, v any) (receipt Receipt, err error) {
	body, err := json.Marshal(v)
	if err != nil {
		return receipt, provider.NotSent(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/effects", bytes.NewReader(body))
	if err != nil {
		return receipt, provider.NotSent(err)
	}
	req.Header.Set("Idempotency-Key", key)
	err = read(req, &receipt)
	return receipt, err
}

// Find looks a key up.
func (c Client) Find(ctx context.Context, key string) (receipt Receipt, found bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/effects/"+url.PathEscape(key), nil)
	if err != nil {
		return receipt, false, err
	}
	resp, err := oneShot.Do(req)
	if err != nil {
		return receipt, false, err
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
		err = json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&receipt)
		return receipt, true, err
	case http.StatusNotFound:
		return receipt, false, nil
	}
	return receipt, false, errors.New("the lookup was answered with " + resp.Status)
}

// Undo books that an effect is taken back.
func (c Client) Undo(ctx context.Context, key string, receipt Receipt) error {
	_, err := c.Send(ctx, key, map[string]string{"undo": receipt.ID})
	return err
}

func read(req *http.Request, receipt *Receipt) error {
	resp, err := provider.Do(oneShot, req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(receipt)
}
