package wire

import (
	"slices"
	"time"
)

// Cut is a connection that is going to break at a certain point, once.
type Cut struct {
	proxy   *Proxy
	match   Match
	reply   bool          // after the server has answered, not before it is asked
	hold    time.Duration // how long the server keeps its side
	request Request
	fired   chan struct{}
}

// CutOption changes what a cut does.
type CutOption func(*Cut)

// Hold keeps the connection to the server open for d after the client's is gone, as when the network is cut in between: the
// server keeps the session, its transaction and its locks. Otherwise the server is disconnected too, as when a client dies.
func Hold(d time.Duration) CutOption { return func(c *Cut) { c.hold = d } }

// CutRequest breaks a connection before the first request that match picks reaches the server.
func (p *Proxy) CutRequest(match Match, opts ...CutOption) *Cut { return p.arm(match, false, opts) }

// CutReply breaks a connection after the server has answered the first request that match picks, in full, and before
// anything of the answer reaches the client.
func (p *Proxy) CutReply(match Match, opts ...CutOption) *Cut { return p.arm(match, true, opts) }

func (p *Proxy) arm(match Match, reply bool, opts []CutOption) *Cut {
	c := &Cut{proxy: p, match: match, reply: reply, fired: make(chan struct{})}
	for _, opt := range opts {
		opt(c)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts = append(p.cuts, c)
	return c
}

// Fired is closed when the connection has been broken.
func (c *Cut) Fired() <-chan struct{} { return c.fired }

// Request is where the connection was broken. It may be asked for once Fired is closed.
func (c *Cut) Request() Request { return c.request }

// Disarm calls the cut off, unless a request has already run into it.
func (c *Cut) Disarm() {
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	c.proxy.cuts = slices.DeleteFunc(c.proxy.cuts, func(armed *Cut) bool { return armed == c })
}
