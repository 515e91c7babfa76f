package proxy

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Way is a direction of the network.
type Way string

// The directions.
const (
	Up   Way = "to the server"
	Down Way = "from the server"
)

// Proxy stands between a worker and the server, on Unix sockets. It passes bytes on until a cut holds one direction
// back; what was connected during a cut breaks at its end, and what was held back is never delivered.
type Proxy struct {
	listener net.Listener
	upstream string

	mu     sync.Mutex
	shut   map[Way]*gate // the ways that are cut at the moment
	links  map[*link]bool
	closed bool
	held   atomic.Int64 // bytes that cuts have held back
}

// gate is a cut way, until it opens.
type gate struct {
	cuts int // several may overlap
	open chan struct{}
}

// socketName is how Postgres and its clients name a socket in its directory.
const socketName = ".s.PGSQL.5432"

// New makes a proxy whose socket is in dir, to the socket at upstream.
func New(dir, upstream string) (*Proxy, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, upstream: upstream, shut: map[Way]*gate{}, links: map[*link]bool{}}
	go p.serve()
	return p, nil
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.upstream)
		if err != nil { // the server is down, which its clients are to notice
			_ = client.Close()
			continue
		}
		p.join(&link{proxy: p, client: client, server: server})
	}
}

func (p *Proxy) join(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = l.client.Close()
		_ = l.server.Close()
		return
	}
	l.doomed = len(p.shut) > 0
	p.links[l] = true
	go l.pump(Up, l.client, l.server)
	go l.pump(Down, l.server, l.client)
}

// Cut holds way back for d, and then breaks the connections that it has hit. It returns the number of bytes that were
// held back and of connections that died.
func (p *Proxy) Cut(ctx context.Context, w Way, d time.Duration) (bytes int64, connections int) {
	before := p.held.Load()
	p.close(w)
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return p.held.Load() - before, p.reopen(w)
}

func (p *Proxy) close(w Way) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut[w] == nil {
		p.shut[w] = &gate{open: make(chan struct{})}
	}
	p.shut[w].cuts++
	for l := range p.links {
		l.doomed = true
	}
}

// reopen ends one cut. The connections of a cut that overlaps with another one break at the end of both.
func (p *Proxy) reopen(w Way) (died int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.shut[w]
	if g == nil { // the proxy was stopped meanwhile
		return 0
	}
	if g.cuts--; g.cuts > 0 {
		return 0
	}
	delete(p.shut, w)
	close(g.open)
	for l := range p.links {
		if l.doomed {
			died++
			go l.end()
		}
	}
	return died
}

// wait returns when way is not cut; through is false when it was, or when the connection is to die.
func (p *Proxy) wait(l *link, w Way, n int) (through bool) {
	p.mu.Lock()
	g := p.shut[w]
	p.mu.Unlock()
	if g == nil {
		return true
	}
	p.held.Add(int64(n))
	<-g.open
	return false
}

// Stop breaks everything.
func (p *Proxy) Stop() {
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for w, g := range p.shut {
		delete(p.shut, w)
		close(g.open)
	}
	for l := range p.links {
		_ = l.client.Close()
		_ = l.server.Close()
	}
}

// link is one connection through the proxy.
type link struct {
	proxy          *Proxy
	client, server net.Conn
	doomed         bool // guarded by the proxy's mu
	ending         sync.Once
}

// pump passes on what comes from src, until either side has gone.
func (l *link) pump(w Way, src, dst net.Conn) {
	defer l.end()
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if !l.proxy.wait(l, w, n) {
				return
			}
			if _, err := dst.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// end closes both sides. A side learns of it only when its direction is not cut: that the other has gone is news that
// travels like any other.
func (l *link) end() {
	l.ending.Do(func() {
		l.proxy.wait(l, Up, 0)
		_ = l.server.Close()
		l.proxy.wait(l, Down, 0)
		_ = l.client.Close()
		l.proxy.mu.Lock()
		defer l.proxy.mu.Unlock()
		delete(l.proxy.links, l)
	})
}

// URL is the address of a database behind the proxy.
func (p *Proxy) URL(database, application string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=5432&sslmode=disable&application_name=%s",
		database, filepath.Dir(p.listener.Addr().String()), application)
}
