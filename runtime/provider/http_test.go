package provider_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/provider"
)

// What a provider function says to the outcome of one request, as the intent shows it.
func TestWhatStatusesMean(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		200: "", 201: "", 204: "", 301: "unknown", 302: "unknown", 307: "unknown", 308: "unknown",
		400: "rejected", 401: "not sent", 402: "rejected", 403: "not sent", 404: "rejected", 407: "not sent", 408: "unknown", 409: "unknown", 422: "conflict",
		425: "unknown", 429: "unknown", 500: "unknown", 502: "unknown", 503: "unknown", 504: "unknown",
	} {
		var requests atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		req := must(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil))(t)
		resp, err := provider.Do(server.Client(), req)
		if got := provider.OutcomeOf(err); got != want {
			t.Errorf("%d is %q, want %q: %v", status, got, want, err)
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		if requests.Load() != 1 {
			t.Errorf("%d: %d requests", status, requests.Load())
		}
		server.Close()
	}
}

func TestRetryAfterInBothForms(t *testing.T) {
	t.Parallel()
	now := time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, now.Add(time.Minute).Format(http.TimeFormat): time.Minute, "": 0, "soon": 0, "-1": 0,
		now.Add(-time.Hour).Format(http.TimeFormat): 0, strconv.Itoa(1 << 30): 24 * time.Hour, "99999999999999999999": 0,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", now.Format(http.TimeFormat))
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		_, err := provider.Do(server.Client(), must(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil))(t))
		if got := provider.DelayOf(err); got != want {
			t.Errorf("Retry-After: %s is %v, want %v", value, got, want)
		}
		server.Close()
	}
}

// A request that has been on a connection may have been seen, also if the next connection is refused.
func TestNotSentIsCertain(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	client := server.Client()
	post := func() error {
		req := must(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil))(t)
		req.Header.Set("Idempotency-Key", "k") // net/http sends such a request again by itself
		resp, err := provider.Do(client, req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	if err := post(); err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = server.Listener.Close()
		conn, _, _ := http.NewResponseController(w).Hijack()
		_ = conn.Close()
	})
	if got := provider.OutcomeOf(post()); got != "unknown" {
		t.Errorf("seen by the server: %q", got)
	}
	if got := provider.OutcomeOf(post()); got != "not sent" {
		t.Errorf("refused: %q", got)
	}
	client.CloseIdleConnections()
	server.CloseClientConnections()
}

// The outermost word counts, and a plain error leaves the outcome unknown.
func TestOutcomesOfErrors(t *testing.T) {
	t.Parallel()
	base := errors.New("base")
	for want, err := range map[string]error{
		"unknown": base, "rejected": provider.Rejected(base), "not sent": provider.NotSent(base), "conflict": errors.Join(provider.Conflict(provider.Rejected(base))),
	} {
		if got := provider.OutcomeOf(err); got != want || !errors.Is(err, base) {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
	}
}

func send(context.Context, string, int) (int, error) { return 0, nil }

func findOther(context.Context, string) (string, bool, error) { return "", false, nil }

func TestDefinitionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for name, define := range map[string]func(){
		"no name":     func() { provider.Define("", send) },
		"margin":      func() { provider.Define("p", send, provider.WithWindow(time.Second), provider.WithMargin(time.Second)) },
		"window":      func() { provider.Define("p", send, provider.WithWindow(-time.Second)) },
		"pause":       func() { provider.Define("p", send, provider.WithPause(0)) },
		"other types": func() { provider.Define("p", send, provider.WithLookup(findOther)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			define()
		}()
	}
}

// A connection that is used again and breaks leaves the outcome unknown, after one request: net/http repeats by itself
// what bears an idempotency key, and nobody would know of the second effect if the provider did not honour it.
func TestNothingIsSentAgainUnseen(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"Idempotency-Key": "k", "X-Idempotency-Key": "k", "Other": "k"} {
		for _, body := range []bool{true, false} {
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if requests.Add(1) > 1 {
					if got := r.Header.Get(name); got != key {
						t.Errorf("%s is %q", name, got)
					}
					panic(http.ErrAbortHandler) // the connection breaks without an answer
				}
			}))
			post := func() error {
				var content io.Reader
				if body {
					content = strings.NewReader("once")
				}
				req := must(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, content))(t)
				req.Header.Set(name, key)
				resp, err := provider.Do(server.Client(), req)
				if req.Header.Get(name) != key {
					t.Errorf("the caller's own header was changed: %v", req.Header)
				}
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
				return err
			}
			if err := post(); err != nil {
				t.Fatal(err)
			}
			if got := provider.OutcomeOf(post()); got != "unknown" || requests.Load() != 2 {
				t.Errorf("%s, body %v: it is %q after %d requests, want unknown after 2", name, body, got, requests.Load())
			}
			server.Close()
		}
	}
}
