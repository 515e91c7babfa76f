package provider

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Do sends a request for a provider function, and says what became of it in the words of this package. Without an error
// the status is a 2xx, and the caller reads and closes the body. The answers mean:
//
//   - no connection was made, 401, 403, 407: [NotSent], since nobody has looked at the call
//   - 422: [Conflict], as the Idempotency-Key header field has it. Where a 422 is an ordinary refusal, classify it yourself.
//   - 429 and 503: [RetryAfter], with what the server asks for
//   - 408, 409, 425, 3xx, other 5xx, and a connection that breaks: the outcome is unknown
//   - other 4xx: [Rejected]
//
// Redirects are not followed, and nothing is sent a second time by net/http.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req = req.Clone(httptrace.WithClientTrace(req.Context(), trace))
	hideKey(req.Header)
	resp, err := direct.Do(req)
	switch {
	case err != nil && !connected.Load():
		return nil, NotSent(err)
	case err != nil:
		return nil, err
	}
	if err := statusError(resp); err != nil {
		// What is left of a short body is read, so that the connection can be used again.
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// hideKey spells the names in lower case, which is the same to a server. By their usual spelling net/http takes a request
// for one that it may repeat by itself when a kept connection breaks, which would be a request that nobody has counted, and
// with a provider that does not honour the key a second effect.
func hideKey(h http.Header) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values, found := h[name]; found {
			delete(h, name)
			h[strings.ToLower(name)] = values
		}
	}
}

func statusError(resp *http.Response) error {
	err := errors.New("the provider answered " + strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode))
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusUnprocessableEntity:
		return Conflict(err)
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		return RetryAfter(retryAfter(resp.Header), err)
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusProxyAuthRequired:
		return NotSent(err)
	case code == http.StatusRequestTimeout, code == http.StatusConflict, code == http.StatusTooEarly, code < 400, code >= 500:
		return err
	}
	return Rejected(err)
}

// retryAfter reads the header field in both of its forms. A date counts from the server's own Date.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return at.Sub(now)
}
