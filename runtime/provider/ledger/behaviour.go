package ledger

import (
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Behaviour is how the ledger treats one request.
type Behaviour func(*exchange)

// exchange is a request that is to be answered.
type exchange struct {
	l    *Ledger
	w    http.ResponseWriter
	r    *http.Request
	key  string
	body []byte
}

// Accept has the effect, and answers with the receipt.
func Accept(x *exchange) {
	receipt, err := x.l.book(x.key, x.body)
	if errors.Is(err, errOtherBody) {
		Conflict(x)
		return
	}
	writeJSON(x.w, receipt)
}

// Drop has the effect, and closes the connection without an answer.
func Drop(x *exchange) {
	_, _ = x.l.book(x.key, x.body)
	x.cut()
}

// Overlap has the effect, and answers 409 as if another request under the key were still being worked on.
func Overlap(x *exchange) {
	_, _ = x.l.book(x.key, x.body)
	InProgress(x)
}

// Lose closes the connection without an answer, and without the effect.
func Lose(x *exchange) { x.cut() }

// Hang has the effect, and does not answer until the client or the ledger goes away.
func Hang(x *exchange) {
	_, _ = x.l.book(x.key, x.body)
	select {
	case <-x.r.Context().Done():
	case <-x.l.closing:
	}
}

// Reject answers 400, without the effect.
func Reject(x *exchange) { http.Error(x.w, "rejected", http.StatusBadRequest) }

// InProgress answers 409: another request under this key is being worked on.
func InProgress(x *exchange) { http.Error(x.w, "in progress", http.StatusConflict) }

// Conflict answers 422: another body stands under this key.
func Conflict(x *exchange) {
	http.Error(x.w, errOtherBody.Error(), http.StatusUnprocessableEntity)
}

// Fail answers 500, without the effect.
func Fail(x *exchange) { http.Error(x.w, "failed", http.StatusInternalServerError) }

// Busy answers 429 and asks to come again after d, without the effect.
func Busy(d time.Duration) Behaviour { return later(http.StatusTooManyRequests, d) }

// Unavailable answers 503 and asks to come again after d, without the effect.
func Unavailable(d time.Duration) Behaviour { return later(http.StatusServiceUnavailable, d) }

func later(status int, d time.Duration) Behaviour {
	return func(x *exchange) {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(d.Round(time.Second)/time.Second)))
		http.Error(x.w, "later", status)
	}
}

// Before calls f when the request has come, and then treats it. f may block.
func Before(f func(), then Behaviour) Behaviour {
	return func(x *exchange) {
		f()
		then(x)
	}
}

// After waits before the request is treated, whether or not its client is still there.
func After(d time.Duration, then Behaviour) Behaviour {
	return func(x *exchange) {
		select {
		case <-time.After(d):
		case <-x.l.closing:
		}
		then(x)
	}
}

// cut closes the connection by a reset.
func (x *exchange) cut() {
	conn, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
