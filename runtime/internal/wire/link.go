package wire

import (
	"bufio"
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// link is one client's connection and the connection to the server that belongs to it.
type link struct {
	proxy  *Proxy
	id     int
	client net.Conn
	ctx    context.Context // ends when the link is closed
	cancel context.CancelFunc

	mu      sync.Mutex
	server  net.Conn // nil until it is connected
	closed  bool
	severed bool   // a cut has broken it, and decides when it is closed
	asked   []*Cut // for each request without an answer, oldest first: the cut of its reply, or nil
	inBlock bool   // whether the last answer was given inside a transaction block

	sql names // belongs to the goroutine that relays requests
}

const bufferSize = 32 << 10

func newLink(p *Proxy, id int, client net.Conn) *link {
	l := &link{proxy: p, id: id, client: client, sql: newNames()}
	l.ctx, l.cancel = context.WithCancel(p.ctx)
	return l
}

// close breaks both sides. It may be called several times.
func (l *link) close() {
	l.cancel()
	l.proxy.forget(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	_ = l.client.Close()
	if l.server != nil {
		_ = l.server.Close()
	}
}

// end is how a side's goroutine ends: with the link, unless that belongs to a cut.
func (l *link) end() {
	l.mu.Lock()
	severed := l.severed
	l.mu.Unlock()
	if !severed {
		l.close()
	}
}

// sever breaks the client's side, and the server's when the cut says so.
func (l *link) sever(c *Cut) {
	l.mu.Lock()
	l.severed = true
	_ = l.client.Close()
	l.mu.Unlock()
	if c.hold == 0 {
		l.close()
	}
	close(c.fired)
	if c.hold > 0 {
		select {
		case <-time.After(c.hold):
		case <-l.ctx.Done():
		}
		l.close()
	}
}

// serve logs the client in and relays both directions.
func (l *link) serve() {
	defer l.end()
	in := bufio.NewReaderSize(l.client, bufferSize)
	first, code, err := l.greet(in)
	if err != nil || l.proxy.drops(code) {
		return
	}
	server, err := l.connect()
	if err != nil {
		return
	}
	if _, err := server.Write(first); err != nil {
		return
	}
	if code == codeCancel {
		_, _ = io.Copy(io.Discard, server) // the server closes when it has seen to it; then the client is told
		return
	}
	l.proxy.wg.Go(func() {
		defer l.end()
		l.relayReplies(bufio.NewReaderSize(server, bufferSize))
	})
	l.relayRequests(in, server)
}

// greet returns the first message that is for the server. Encryption is refused.
func (l *link) greet(in *bufio.Reader) (message []byte, code uint32, err error) {
	for {
		message, code, err = readStartup(in)
		if err != nil || (code != codeTLS && code != codeGSS) {
			return message, code, err
		}
		if _, err := l.client.Write([]byte{'N'}); err != nil {
			return nil, 0, err
		}
	}
}

// connect dials the server, unless the link is closed meanwhile.
func (l *link) connect() (net.Conn, error) {
	server, err := dial(l.ctx, l.proxy.upstream)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = server.Close()
		return nil, net.ErrClosed
	}
	l.server = server
	return server, nil
}

// relayRequests collects the messages of a request, so that all of it or nothing reaches the server. Messages that the
// client wants an answer to before the request is complete go on at once.
func (l *link) relayRequests(in *bufio.Reader, server io.Writer) {
	var buf []byte
	request := Request{Connection: l.id}
	for {
		start := len(buf)
		var err error
		if buf, err = readFrame(in, buf); err != nil {
			return
		}
		kind := buf[start]
		l.sql.note(&request, kind, buf[start+headerSize:])
		if waits(kind) {
			continue
		}
		l.proxy.requests.pass(l.ctx)
		if completes(kind) {
			if !l.ask(request) {
				return
			}
			request = Request{Connection: l.id}
		}
		if _, err := server.Write(buf); err != nil {
			return
		}
		buf = buf[:0]
	}
}

// ask notes that a request is about to be sent. It is not when it runs into a cut.
func (l *link) ask(r Request) bool {
	l.mu.Lock()
	r.InTransaction = l.inBlock
	l.mu.Unlock()
	cut := l.proxy.meet(r)
	if cut != nil && !cut.reply {
		l.sever(cut)
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, cut)
	return true
}

// relayReplies counts the answers, and holds back the one that a cut is for.
func (l *link) relayReplies(in *bufio.Reader) {
	out := bufio.NewWriterSize(l.client, bufferSize)
	defer func() { _ = out.Flush() }()
	var buf []byte
	for {
		var err error
		if buf, err = readFrame(in, buf[:0]); err != nil {
			return
		}
		cut := l.replying()
		if cut == nil || invites(buf[0]) {
			l.proxy.replies.pass(l.ctx)
			_, _ = out.Write(buf) // its error comes again with Flush
		}
		if buf[0] == msgReady {
			l.answered(buf[headerSize])
			if cut != nil {
				_ = out.Flush() // answers to earlier requests
				l.sever(cut)
				return
			}
		}
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

// replying returns the cut that the reply under way is for.
func (l *link) replying() *Cut {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.asked) == 0 {
		return nil
	}
	return l.asked[0]
}

// answered takes note of a ReadyForQuery. The one that ends the login answers no request.
func (l *link) answered(status byte) {
	l.mu.Lock()
	asked := len(l.asked) > 0
	if asked {
		l.asked = l.asked[1:]
	}
	l.inBlock = status == readyInBlock || status == readyFailed
	l.mu.Unlock()
	if asked {
		l.proxy.count(l.id)
	}
}
