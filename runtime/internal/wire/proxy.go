package wire

import (
	"context"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// TB is the part of testing.TB that this package needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Proxy stands between clients and one Postgres server.
type Proxy struct {
	upstream *pgconn.Config
	url      string
	listener net.Listener

	ctx    context.Context // ends with the proxy
	cancel context.CancelFunc
	wg     sync.WaitGroup

	requests, replies gate

	mu          sync.Mutex
	links       map[*link]struct{}
	connections int
	refusing    bool
	deaf        bool        // to requests to cancel
	roundTrips  map[int]int // by connection
	cuts        []*Cut
	observers   []func(Request)
}

// Start starts a proxy to the server of a connection string, until the test's end.
func Start(tb TB, upstream string) *Proxy {
	tb.Helper()
	p, err := New(upstream)
	if err != nil {
		tb.Fatalf("wire: %v", err)
	}
	tb.Cleanup(p.Close)
	return p
}

// New starts a proxy to the server of a connection string, until [Proxy.Close].
func New(upstream string) (*Proxy, error) {
	config, err := pgconn.ParseConfig(upstream)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		upstream: config, listener: listener, url: through(upstream, listener.Addr().(*net.TCPAddr)),
		links: map[*link]struct{}{}, roundTrips: map[int]int{},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.wg.Go(p.accept)
	return p, nil
}

// through is the connection string with another address, in either of the forms that Postgres knows.
func through(dsn string, addr *net.TCPAddr) string {
	port := strconv.Itoa(addr.Port)
	u, err := url.Parse(dsn)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return dsn + " host=" + addr.IP.String() + " port=" + port + " sslmode=disable" // the last ones count
	}
	u.Host = net.JoinHostPort(addr.IP.String(), port)
	q := u.Query()
	for name := range q {
		if name == "host" || name == "port" || strings.HasPrefix(name, "ssl") {
			q.Del(name)
		}
	}
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	return u.String()
}

// URL is the connection string for clients: the server's own, by way of the proxy.
func (p *Proxy) URL() string { return p.url }

// Close ends the proxy and every connection through it.
func (p *Proxy) Close() {
	p.cancel()
	_ = p.listener.Close()
	p.Disconnect()
	p.wg.Wait()
}

// RoundTrips is how many requests the server has answered since the start or the last [Proxy.Reset].
func (p *Proxy) RoundTrips() (n int) {
	for _, m := range p.RoundTripsByConnection() {
		n += m
	}
	return n
}

// RoundTripsByConnection is RoundTrips for each connection that had any.
func (p *Proxy) RoundTripsByConnection() map[int]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.roundTrips)
}

// Reset sets the counts back to 0.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.roundTrips)
}

// Observe has f called with each request before it goes on to the server, from one goroutine at a time.
func (p *Proxy) Observe(f func(Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.observers = append(p.observers, f)
}

// Disconnect breaks every connection that there is now. The server notices at once, too.
func (p *Proxy) Disconnect() {
	p.mu.Lock()
	links := slices.Collect(maps.Keys(p.links))
	p.mu.Unlock()
	for _, l := range links {
		l.close()
	}
}

// Refuse has new connections broken before they reach the server, until allow is called.
func (p *Proxy) Refuse() (allow func()) {
	set := func(refusing bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.refusing = refusing
	}
	set(true)
	return func() { set(false) }
}

// DropCancels has requests to cancel ended, from now on, before they reach the server: pgx sends one some time after it has
// lost a connection, whatever that connection's session is doing by then.
func (p *Proxy) DropCancels() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = true
}

func (p *Proxy) drops(code uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deaf && code == codeCancel
}

// PauseRequests holds back what clients send, until resume is called. What is held back is delivered then.
func (p *Proxy) PauseRequests() (resume func()) { return p.requests.shut() }

// PauseReplies holds back what the server sends, until resume is called.
func (p *Proxy) PauseReplies() (resume func()) { return p.replies.shut() }

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		if l := p.admit(client); l != nil {
			p.wg.Go(l.serve)
		}
	}
}

// admit makes the connection one of those that Close and Disconnect end.
func (p *Proxy) admit(client net.Conn) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusing || p.ctx.Err() != nil {
		_ = client.Close()
		return nil
	}
	p.connections++
	l := newLink(p, p.connections, client)
	p.links[l] = struct{}{}
	return l
}

func (p *Proxy) forget(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

func (p *Proxy) count(connection int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roundTrips[connection]++
}

// meet shows a request to the observers and returns the cut that it runs into, if any.
func (p *Proxy) meet(r Request) *Cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.observers {
		f(r)
	}
	for i, c := range p.cuts {
		if c.match(r) {
			p.cuts = slices.Delete(p.cuts, i, i+1)
			c.request = r
			return c
		}
	}
	return nil
}
