package ledger

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Ledger is a running server. It is safe for concurrent use.
type Ledger struct {
	listener net.Listener
	server   *http.Server
	window   time.Duration // 0: keys are remembered for ever
	noLookup bool
	closing  chan struct{}
	serving  sync.WaitGroup

	mu       sync.Mutex
	next     []Behaviour
	nextOf   map[string][]Behaviour // by key
	requests []Request
	lookups  map[string]int
	known    map[string]*entry // by key, as long as it is remembered
	effects  map[string][]Receipt
	count    int
}

// Request is one request that the ledger has received.
type Request struct {
	Key  string
	Body string
	At   time.Time
}

// Receipt is what the ledger answers for an effect.
type Receipt struct {
	ID  string `json:"id"`
	Key string `json:"key"`
	// Before is how many effects the key had already, which must be none.
	Before int `json:"before,omitempty"`
}

// entry is what the ledger remembers of a key.
type entry struct {
	digest  [32]byte
	receipt Receipt
	until   time.Time // zero: for ever
}

// Option sets a ledger up.
type Option func(*Ledger)

// Window lets the ledger forget a key some time after its effect: a request under it then has another one.
func Window(d time.Duration) Option { return func(l *Ledger) { l.window = d } }

// WithoutLookup lets the ledger refuse lookups.
func WithoutLookup() Option { return func(l *Ledger) { l.noLookup = true } }

// Start starts a ledger on a free port of this machine.
func Start(opts ...Option) (*Ledger, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	l := &Ledger{
		listener: listener, closing: make(chan struct{}),
		nextOf: map[string][]Behaviour{}, lookups: map[string]int{}, known: map[string]*entry{}, effects: map[string][]Receipt{},
	}
	for _, o := range opts {
		o(l)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /effects", l.post)
	mux.HandleFunc("GET /effects/{key}", l.get)
	l.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	l.serving.Go(func() { _ = l.server.Serve(listener) })
	return l, nil
}

// URL is where the ledger is.
func (l *Ledger) URL() string { return "http://" + l.listener.Addr().String() }

// Close ends the ledger, and with it the requests that hang.
func (l *Ledger) Close() {
	close(l.closing)
	_ = l.server.Close()
	l.serving.Wait()
}

// Next says how the next requests are treated, one each. Those after them are accepted.
func (l *Ledger) Next(b ...Behaviour) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = append(l.next, b...)
}

// NextOf is [Ledger.Next] for the requests under one key.
func (l *Ledger) NextOf(key string, b ...Behaviour) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nextOf[key] = append(l.nextOf[key], b...)
}

// treat takes the behaviour for a request under a key.
func (l *Ledger) treat(key string) Behaviour {
	if of := l.nextOf[key]; len(of) > 0 {
		l.nextOf[key] = of[1:]
		return of[0]
	}
	if len(l.next) > 0 {
		next := l.next[0]
		l.next = l.next[1:]
		return next
	}
	return Accept
}

// Forget lets the ledger forget all keys now, as at the end of its window. Lookups still find what was done.
func (l *Ledger) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.known)
}

// Requests returns the requests under a key in the order in which they came; all of them for "".
func (l *Ledger) Requests(key string) []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.requests), func(r Request) bool { return key != "" && r.Key != key })
}

// Effects counts the effects under a key; all of them for "".
func (l *Ledger) Effects(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if key == "" {
		return l.count
	}
	return len(l.effects[key])
}

// Lookups counts the lookups of a key; all of them for "".
func (l *Ledger) Lookups(key string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if key != "" {
		return l.lookups[key]
	}
	for _, times := range l.lookups {
		n += times
	}
	return n
}

// Keys returns the keys that had an effect, sorted.
func (l *Ledger) Keys() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.effects))
}

func (l *Ledger) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	key := r.Header.Get("Idempotency-Key")
	if err != nil || key == "" {
		http.Error(w, "a key and a body are needed", http.StatusBadRequest)
		return
	}
	l.mu.Lock()
	l.requests = append(l.requests, Request{key, string(body), time.Now()})
	treat := l.treat(key)
	l.mu.Unlock()
	treat(&exchange{l: l, w: w, r: r, key: key, body: body})
}

var errOtherBody = errors.New("another body under this key")

// book has the effect, unless the key is remembered.
func (l *Ledger) book(key string, body []byte) (Receipt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	digest := sha256.Sum256(body)
	if e := l.known[key]; e != nil && (e.until.IsZero() || time.Now().Before(e.until)) {
		if e.digest != digest {
			return Receipt{}, errOtherBody
		}
		return e.receipt, nil
	}
	l.count++
	e := &entry{digest: digest, receipt: Receipt{ID: fmt.Sprintf("effect-%d", l.count), Key: key, Before: len(l.effects[key])}}
	if l.window > 0 {
		e.until = time.Now().Add(l.window)
	}
	l.known[key] = e
	l.effects[key] = append(l.effects[key], e.receipt)
	return e.receipt, nil
}

func (l *Ledger) get(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.PathValue("key")
	l.lookups[key]++
	switch done := l.effects[key]; {
	case l.noLookup:
		http.Error(w, "no lookups", http.StatusNotImplemented)
	case len(done) == 0:
		http.Error(w, "no such effect", http.StatusNotFound)
	default:
		writeJSON(w, done[0])
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
