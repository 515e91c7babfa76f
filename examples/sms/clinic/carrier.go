package clinic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/idem-go/idem/runtime/provider"
)

// Carrier is the client of the carrier's API.
type Carrier struct {
	URL    string
	Client *http.Client
}

// SMS is a message.
type SMS struct {
	To   string `json:"to"`
	Text string `json:"text"`
}

// Receipt is the carrier's answer.
type Receipt struct {
	MessageID string `json:"message_id"`
}

// SendSMS sends a message. The carrier honours a key for a day, finds messages by their keys, and takes them back as long
// as they are not delivered.
//
//idem:provider send_sms window=24h lookup=FindSMS undo=RecallSMS
func (c *Carrier) SendSMS(ctx context.Context, key string, sms SMS) (Receipt, error) {
	return c.send(ctx, "/messages", key, sms)
}

// FindSMS finds a message by the key that it was sent with.
func (c *Carrier) FindSMS(ctx context.Context, key string) (receipt Receipt, found bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/messages?key="+url.QueryEscape(key), nil)
	if err != nil {
		return receipt, false, err
	}
	resp, err := c.Client.Do(req)
	if err != nil {
		return receipt, false, err
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
		err = read(resp, &receipt)
		return receipt, true, err
	case http.StatusNotFound:
		return receipt, false, nil
	}
	// Not a word about the message: anything but these two says nothing.
	return receipt, false, errors.New("the carrier answered the lookup with " + resp.Status)
}

// RecallSMS takes a message back. key is the recall's own.
func (c *Carrier) RecallSMS(ctx context.Context, key string, receipt Receipt) error {
	resp, err := c.do(ctx, http.MethodDelete, "/messages/"+url.PathEscape(receipt.MessageID), key, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// SendCode sends a code by the carrier's fast route. That one remembers a key for three seconds, and has no lookup.
//
//idem:provider send_code window=3s
func (c *Carrier) SendCode(ctx context.Context, key string, sms SMS) (Receipt, error) {
	return c.send(ctx, "/codes", key, sms)
}

func (c *Carrier) send(ctx context.Context, path, key string, sms SMS) (receipt Receipt, err error) {
	body, err := json.Marshal(sms)
	if err != nil {
		return receipt, provider.NotSent(err)
	}
	resp, err := c.do(ctx, http.MethodPost, path, key, body)
	if err != nil {
		return receipt, err
	}
	defer func() { _ = resp.Body.Close() }()
	err = read(resp, &receipt)
	return receipt, err
}

// do makes a request under a key.
func (c *Carrier) do(ctx context.Context, method, path, key string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, provider.NotSent(err)
	}
	// Not in the canonical spelling: with that one net/http may repeat a request by itself when a connection breaks.
	req.Header["idempotency-key"] = []string{key}
	return provider.Do(c.Client, req)
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 10

func read(resp *http.Response, receipt *Receipt) error {
	return json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(receipt)
}
