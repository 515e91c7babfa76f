package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// network is what lies between the shop and a customer's system. It counts requests, and has its faults.
type network struct {
	system   http.Handler
	fault    fault
	first    int32 // of how many requests, counted from the first
	requests atomic.Int32
	server   http.Server
	url      string
}

// fault is what a network does wrong.
type fault int

const (
	loseNothing  fault = iota
	loseAnswers        // the system has done its part, and the connection breaks before its answer
	loseRequests       // the connection breaks before the system has seen the request
)

// serve makes a system reachable.
func serve(system http.Handler, fault fault, first int32) (*network, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := &network{system: system, fault: fault, first: first, url: "http://" + listener.Addr().String() + "/hooks"}
	n.server = http.Server{Handler: n, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = n.server.Serve(listener) }()
	return n, nil
}

func (n *network) close() { _ = n.server.Close() }

// ServeHTTP implements [http.Handler].
func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch faulty := n.requests.Add(1) <= n.first; {
	case faulty && n.fault == loseAnswers:
		n.system.ServeHTTP(nowhere{}, r)
		panic(http.ErrAbortHandler)
	case faulty && n.fault == loseRequests:
		panic(http.ErrAbortHandler)
	}
	n.system.ServeHTTP(w, r)
}

// nowhere takes an answer that is lost.
type nowhere struct{}

// Header implements [http.ResponseWriter].
func (nowhere) Header() http.Header { return http.Header{} }

// Write implements [http.ResponseWriter].
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader implements [http.ResponseWriter].
func (nowhere) WriteHeader(int) {}
