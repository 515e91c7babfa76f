package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// Neither what is sent, nor what is answered, nor a token in a URL is in a log, in an error, or in the history.
func TestNothingSecretIsSaid(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]ledger.Behaviour{
		"accepted": ledger.Accept, "lost": ledger.Drop, "rejected": ledger.Reject, "conflict": ledger.Conflict, "failed": ledger.Fail,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.ledger.Next(lost)
			p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
				c := ledger.Client{URL: b.ledger.URL()}
				receipt, err := c.Send(ctx, key, m)
				receipt.ID += "-s3cret-receipt"
				return receipt, err
			}, windowed.options(b.api)...)
			runtime.RegisterAction(b.reg, notify, notifier(p))
			stop := b.work()
			run := must(notify.Enqueue(context.Background(), b.client, message{To: "s3cret-number", Text: "s3cret-text"}))(t)
			s := b.wait(run)
			stop()
			_, events, err := b.operator.Show(context.Background(), b.intent().Key)
			if err != nil {
				t.Fatal(err)
			}
			said := b.log.String() + s.Error
			for _, e := range events {
				said += e.Reason
			}
			if strings.Contains(said, "s3cret") {
				t.Errorf("said: %s", said)
			}
		})
	}
}

// The text of an HTTP client's error has the whole URL.
func TestURLsLoseTheirTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	dead := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, _ := http.NewResponseController(w).Hijack()
		_ = conn.Close()
	}))
	defer dead.Close()
	unreachable := false
	p := provider.Define("send_sms", func(ctx context.Context, key string, _ message) (ledger.Receipt, error) {
		url := dead.URL
		if unreachable {
			url = "http://127.0.0.1:1"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/s3cret?token=s3cret", nil)
		if err != nil {
			return ledger.Receipt{}, err
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := provider.Do(client, req)
		if err == nil {
			_ = resp.Body.Close()
			err = errors.New("answered")
		}
		return ledger.Receipt{}, err
	}, neither.options(b.api)...)
	runtime.RegisterAction(b.reg, notify, notifier(p))
	stop := b.work()
	run := b.enqueue()
	said := b.waits(run).Error + b.intent().Reason
	unreachable = true
	run = b.enqueue()
	said += b.wait(run).Error
	stop()
	if said += b.log.String(); strings.Contains(said, "s3cret") || !strings.Contains(said, "127.0.0.1") {
		t.Errorf("said: %s", said)
	}
}
