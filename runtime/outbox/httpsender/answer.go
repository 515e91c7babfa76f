package httpsender

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/idem-go/idem/runtime/outbox"
)

// Receipt is what is stored of an answer, as JSON.
type Receipt struct {
	Status int `json:"status"`
	// Body is the beginning of the answer's body when it is text, Bytes when it is not.
	Body  string `json:"body,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
}

// receipt reads an answer's body as far as it goes: what is missing of it changes nothing.
func (s *Sender) receipt(resp *http.Response) []byte {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	body = body[:min(len(body), s.cfg.ReceiptLimit)]
	r := Receipt{Status: resp.StatusCode}
	if text := trimRune(body); utf8.Valid(text) {
		r.Body = string(text)
	} else {
		r.Bytes = body
	}
	data, err := json.Marshal(r)
	if err != nil { // of these types nothing fails
		return fmt.Appendf(nil, `{"status":%d}`, resp.StatusCode)
	}
	return data
}

// trimRune takes the part of a character off that a cut may have left at the end.
func trimRune(text []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// judge says what an answer means.
func judge(resp *http.Response, receipt []byte) outbox.Outcome {
	status := resp.StatusCode
	err := &StatusError{Status: status}
	switch {
	case status >= 200 && status < 300:
		return outbox.Confirmed(receipt)
	case status == http.StatusUnprocessableEntity:
		return outbox.Quarantined(err)
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		if after, asked := retryAfter(resp); asked {
			return outbox.RetryAfter(after, err)
		}
		return outbox.Unknown(err)
	case status == http.StatusConflict, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500:
		return outbox.Unknown(err)
	case status >= 400:
		return outbox.Rejected(receipt, err)
	}
	return outbox.Parked(err)
}

// StatusError is an answer that is no confirmation.
type StatusError struct{ Status int }

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the receiver answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Status < 400 {
		text += "; redirects are not followed, correct the destination"
	}
	return text
}

// retryAfter reads how long the receiver wants to be left alone: seconds, or a date. The date is compared with the
// receiver's own clock where it sends that.
func retryAfter(resp *http.Response) (time.Duration, bool) {
	text := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(max(seconds, 0), math.MaxInt64/int64(time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now := time.Now()
	if theirs, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		now = theirs
	}
	return max(at.Sub(now), 0), true
}
