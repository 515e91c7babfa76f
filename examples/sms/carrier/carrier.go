package carrier

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// How long the routes remember a key.
const (
	rememberMessages = 24 * time.Hour
	rememberCodes    = 3 * time.Second
)

// Carrier is a running carrier.
type Carrier struct {
	URL    string
	server http.Server

	mu       sync.Mutex
	losing   int              // how many of the next answers get lost
	messages int              // that were sent, in all
	keys     map[string]*work // by key
}

// work is what was asked for and done under one key.
type work struct {
	seen   Seen
	answer answer
	until  time.Time // so long the key is remembered
}

// answer is the body of an answer.
type answer struct {
	MessageID string `json:"message_id"`
}

// Seen is what the carrier knows about a key. A person can read it in the carrier's portal.
type Seen struct {
	Requests  int    // that asked for something to be done
	Lookups   int    // that asked whether it was
	Effects   int    // messages that were sent, or taken back
	MessageID string // the last one
}

// Start starts a carrier on this machine.
func Start() (*Carrier, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &Carrier{URL: "http://" + listener.Addr().String(), keys: map[string]*work{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /messages", func(w http.ResponseWriter, r *http.Request) { c.send(w, r, rememberMessages) })
	mux.HandleFunc("POST /codes", func(w http.ResponseWriter, r *http.Request) { c.send(w, r, rememberCodes) })
	mux.HandleFunc("GET /messages", c.find)
	mux.HandleFunc("DELETE /messages/{id}", c.recall)
	c.server = http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = c.server.Serve(listener) }()
	return c, nil
}

// Close ends the carrier.
func (c *Carrier) Close() { _ = c.server.Close() }

// LoseAnswer lets the connection of the next request break when the carrier has done its part.
func (c *Carrier) LoseAnswer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losing++
}

// Seen tells about a key.
func (c *Carrier) Seen(key string) Seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of(key).seen
}

// of returns the work under a key. c.mu is held.
func (c *Carrier) of(key string) *work {
	if c.keys[key] == nil {
		c.keys[key] = &work{}
	}
	return c.keys[key]
}

func (c *Carrier) send(w http.ResponseWriter, r *http.Request, remember time.Duration) {
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 1<<20)) // what it says is the patient's business
	c.once(w, r, remember, func() string {
		c.messages++
		return fmt.Sprintf("m-%d", c.messages)
	})
}

func (c *Carrier) recall(w http.ResponseWriter, r *http.Request) {
	c.once(w, r, rememberMessages, func() string { return r.PathValue("id") })
}

// once does something for a key, unless that is remembered, and answers.
func (c *Carrier) once(w http.ResponseWriter, r *http.Request, remember time.Duration, do func() (messageID string)) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		http.Error(w, "a key is needed", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	done := c.of(key)
	done.seen.Requests++
	if now := time.Now(); now.After(done.until) {
		done.until = now.Add(remember)
		done.answer.MessageID = do()
		done.seen.Effects++
		done.seen.MessageID = done.answer.MessageID
	}
	reply, lost := done.answer, c.losing > 0
	if lost {
		c.losing--
	}
	c.mu.Unlock()
	if lost {
		panic(http.ErrAbortHandler)
	}
	write(w, reply)
}

func (c *Carrier) find(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	found := c.of(r.URL.Query().Get("key"))
	found.seen.Lookups++
	reply, sent := found.answer, found.seen.Effects > 0
	c.mu.Unlock()
	if !sent {
		http.Error(w, "no such message", http.StatusNotFound)
		return
	}
	write(w, reply)
}

func write(w http.ResponseWriter, reply answer) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply)
}
