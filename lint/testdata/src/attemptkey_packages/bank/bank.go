// Package bank talks to the bank.
package bank

import (
	"context"
	"net/http"
)

// Client is a client.
type Client struct{ url string }

// Order is an order.
type Order struct {
	Ref string
	Try int
}

// Pay pays. Its parameter has no telling name.
func (c *Client) Pay(ctx context.Context, ref string) error { return c.send(ctx, ref, 0) }

// Transfer transfers.
func (c *Client) Transfer(ctx context.Context, o Order) error { return c.send(ctx, o.Ref, o.Try) }

func (c *Client) send(ctx context.Context, ref string, try int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", ref)
	req.Header.Set("X-Try", string(rune(try)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
