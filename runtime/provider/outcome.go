package provider

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/idem-go/idem/runtime/internal/value"
)

// outcome is what an error of a provider function says about the call.
type outcome int

const (
	unknown  outcome = iota // nothing: it may have been done
	rejected                // it was not done, and will not be under this key
	notSent                 // this request has done nothing
	conflict                // the provider has another payload under the key
)

// outcomeError carries an outcome with an error.
type outcomeError struct {
	outcome outcome
	delay   time.Duration // not earlier than after it
	err     error
}

func (e *outcomeError) Error() string { return e.err.Error() }
func (e *outcomeError) Unwrap() error { return e.err }

// Rejected says that the provider has definitely refused the call: nothing was done under its key, also not by an earlier
// request, and nothing will be. A lookup may return it as well. Where only this request was turned away, for its
// credentials perhaps, [NotSent] is right.
func Rejected(err error) error { return with(rejected, 0, err) }

// NotSent says that this request has definitely done nothing: it has not left, or was turned away unseen. It may be sent
// again at any time, and says nothing about earlier ones. Be careful with errors of an HTTP client: it may have sent a request, lost its connection and failed to make another. [Do] knows the difference.
func NotSent(err error) error { return with(notSent, 0, err) }

// Conflict says that the provider knows the key with another payload. It fails closed: nothing is sent under the key by
// itself any more, and the step is discarded as a payload mismatch.
func Conflict(err error) error { return with(conflict, 0, err) }

// RetryAfter says that the provider does not want to hear of the call before d has passed. Whether it was done is not
// known. d is clamped to between 0 and 24 hours.
func RetryAfter(d time.Duration, err error) error {
	return with(unknown, min(max(d, 0), 24*time.Hour), err)
}

func with(o outcome, delay time.Duration, err error) error {
	if err == nil {
		err = errors.New("no reason given")
	}
	return &outcomeError{outcome: o, delay: delay, err: err}
}

// outcomeOf reads an error; of a nested one the outermost counts.
func outcomeOf(err error) *outcomeError {
	var e *outcomeError
	if errors.As(err, &e) {
		return &outcomeError{e.outcome, e.delay, err}
	}
	return &outcomeError{err: err}
}

// maxReason bounds what is kept of an error's text, in bytes.
const maxReason = 1024

// reason is the text of an error as it may be stored and logged: URLs lose everything behind the host, where keys and
// tokens tend to be, and what a text column cannot hold is replaced.
func reason(err error) string {
	text := err.Error()
	var u *url.Error
	if errors.As(err, &u) && u.URL != "" {
		text = strings.ReplaceAll(text, u.URL, hostOf(u.URL))
	}
	return value.Storable(text, maxReason)
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(a URL)"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}
