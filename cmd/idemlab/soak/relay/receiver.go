package relay

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
)

// How a receiver treats requests badly, of a thousand each.
const (
	losesAnswer = 25 // it does its work, and the connection breaks before its answer
	asksToWait  = 5  // it answers 503 with Retry-After, and does nothing
)

// receiver is the other side: a server that honours keys.
type receiver struct {
	seed   uint64
	server http.Server
	url    string
	closed chan struct{}

	mu       sync.Mutex
	commands map[string]*seen // by the key that they came under
	effects  map[string]int   // by what they are about
	orders   map[string]int64 // the last position of each key
	counts   requestCounts
	order    finding.Violation // of a key's commands
	changed  finding.Violation // commands that came with another payload
}

// seen is what a receiver knows of a command.
type seen struct {
	body     string
	requests int
	answered int // of the requests; the answer may still not have arrived
	working  bool
	receipt  string // "": it has no effect yet
}

// requestCounts are what became of the requests.
type requestCounts struct {
	all        int
	effects    int // the first ones of their commands
	duplicates int // the effect was there already
	working    int // answered 409: another request under the key was at work
	told       int // answered 503
	lost       int // of all: the answer was not given
}

// newReceiver starts a receiver.
func newReceiver(seed uint64) (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{
		seed: seed, url: "http://" + l.Addr().String(), closed: make(chan struct{}),
		commands: map[string]*seen{}, effects: map[string]int{}, orders: map[string]int64{},
		order: finding.Violation{Oracle: "O6"}, changed: finding.Violation{Oracle: "O7"},
	}
	r.server = http.Server{Handler: r, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(r.closed)
		_ = r.server.Serve(l)
	}()
	return r, nil
}

func (r *receiver) close() {
	_ = r.server.Close()
	<-r.closed
}

// dice returns a number below 1000 that follows from the seed, the command and its how-manieth request it is.
func (r *receiver) dice(id string, request int, of string) int {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s %d %s", r.seed, id, request, of)
	x := h.Sum64()
	x ^= x >> 33 // the low bits of the hash of texts so much alike are not good enough
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return int(x % 1000)
}

// ServeHTTP does a command once, whatever the wire does.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	id := req.Header.Get("Idempotency-Key")
	n, status := r.begin(id, string(body), err == nil)
	if status == http.StatusOK {
		r.finish(id, body, req.URL.Path, n)
	}
	answer := r.end(id, n, status)
	switch {
	case err != nil || answer == "":
		panic(http.ErrAbortHandler) // breaks the connection
	case status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

// begin takes a request in: n is which one of its command it is. A status of 200 means that its work is to be done.
func (r *receiver) begin(id, body string, whole bool) (n, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.commands[id]
	if c == nil {
		c = &seen{}
		r.commands[id] = c
	}
	c.requests++
	r.counts.all++
	switch {
	case !whole: // its sender died
		return c.requests, 0
	case c.body == "":
		c.body = body
	case c.body != body:
		r.changed.Add(fmt.Sprintf("command %s came with %s and with %s", id, c.body, body))
		return c.requests, http.StatusUnprocessableEntity
	}
	switch {
	case c.receipt != "":
		r.counts.duplicates++
		return c.requests, http.StatusAccepted
	case c.working:
		r.counts.working++
		return c.requests, http.StatusConflict
	case r.dice(id, c.requests, "wait") < asksToWait:
		r.counts.told++
		return c.requests, http.StatusServiceUnavailable
	}
	c.working = true
	return c.requests, http.StatusOK
}

// finish does the work of a command, which takes its time, and has its effect at the end.
func (r *receiver) finish(id string, body []byte, path string, n int) {
	takes := time.Duration(10+r.dice(id, n, "time")/8) * time.Millisecond
	if path == commands.SlowPath {
		takes += 200 * time.Millisecond
	}
	time.Sleep(takes)
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.commands[id]
	c.working = false
	r.counts.effects++
	c.receipt = fmt.Sprintf("receipt %d", r.counts.effects)
	r.effect(body)
}

// message is what a command says, as the receiver understands it.
type message struct {
	Who      string `json:"who"`
	Key      string `json:"key"` // "": its order is not kept
	Position int64  `json:"position"`
}

// effect is what all of this is about: it must happen once, and for each key in the order of the positions.
func (r *receiver) effect(body []byte) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		r.changed.Add(fmt.Sprintf("the body %q is no command", body))
		return
	}
	r.effects[m.Who]++
	if m.Key == "" {
		return
	}
	if last := r.orders[m.Key]; m.Position != last+1 {
		r.order.Add(fmt.Sprintf("%s: position %d came after position %d", m.Key, m.Position, last))
	}
	r.orders[m.Key] = max(r.orders[m.Key], m.Position)
}

// end decides what is answered; "": nothing is, and the connection breaks.
func (r *receiver) end(id string, n, status int) (answer string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.commands[id]
	switch {
	case status == 0:
		return ""
	case status < 300 && r.dice(id, n, "answer") < losesAnswer:
		r.counts.lost++
		return ""
	}
	c.answered++
	if status < 300 {
		return c.receipt
	}
	return "no"
}

// known is what the receiver knows at one moment.
type known struct {
	commands map[string]seen
	effects  map[string]int
	counts   requestCounts
	violated []finding.Violation
}

func (r *receiver) snapshot() known {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := known{
		commands: make(map[string]seen, len(r.commands)), effects: maps.Clone(r.effects), counts: r.counts,
		violated: []finding.Violation{r.order, r.changed},
	}
	for id, c := range r.commands {
		k.commands[id] = *c
	}
	return k
}

func (r *receiver) counted() requestCounts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts
}
