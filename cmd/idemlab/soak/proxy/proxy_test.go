package proxy

import (
	"bufio"
	"context"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// echo answers each line on a Unix socket, and tells when a connection has ended.
func echo(t *testing.T) (path string, ended <-chan struct{}, heard <-chan string) {
	path = filepath.Join(t.TempDir(), "server")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	over, lines := make(chan struct{}, 10), make(chan string, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { over <- struct{}{} }()
				for in := bufio.NewScanner(c); in.Scan(); {
					lines <- in.Text()
					_, _ = io.WriteString(c, in.Text()+"\n")
				}
			}()
		}
	}()
	return path, over, lines
}

func startProxy(t *testing.T, upstream string) *Proxy {
	p, err := New(filepath.Join(t.TempDir(), "p"), upstream)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func dial(t *testing.T, p *Proxy) net.Conn {
	c, err := net.Dial("unix", p.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// exchange sends a line and reads its echo within d.
func exchange(c net.Conn, line string, d time.Duration) (string, error) {
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		return "", err
	}
	_ = c.SetReadDeadline(time.Now().Add(d))
	return bufio.NewReader(c).ReadString('\n')
}

func TestProxyCutsOneWay(t *testing.T) {
	t.Parallel()
	for _, w := range []Way{Up, Down} {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			server, ended, heard := echo(t)
			p := startProxy(t, server)
			c := dial(t, p)
			if _, err := exchange(c, "before", 5*time.Second); err != nil {
				t.Fatal(err)
			}
			<-heard
			type result struct {
				bytes int64
				died  int
			}
			over := make(chan result)
			go func() {
				b, d := p.Cut(context.Background(), w, 500*time.Millisecond)
				over <- result{b, d}
			}()
			for p.isOpen(w) {
				time.Sleep(time.Millisecond)
			}
			if got, err := exchange(c, "during", 200*time.Millisecond); err == nil {
				t.Errorf("%q came through", got)
			}
			select {
			case got := <-heard:
				if w == Up {
					t.Errorf("the server heard %q", got)
				}
			default:
				if w == Down {
					t.Error("the server heard nothing, though its direction was open")
				}
			}
			if r := <-over; r.bytes != int64(len("during\n")) || r.died != 1 {
				t.Errorf("held %d bytes, broke %d connections; want 7 and 1", r.bytes, r.died)
			}
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Error("the server's connection did not end")
			}
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			if n, err := c.Read(make([]byte, 1)); n > 0 || err != io.EOF {
				t.Errorf("after the cut: %d bytes, %v", n, err)
			}
			if _, err := exchange(dial(t, p), "after", 5*time.Second); err != nil {
				t.Errorf("a new connection: %v", err)
			}
		})
	}
}

// TestProxyHidesTheEndDuringACut: that a client has gone is not known at the other end before the cut is over.
func TestProxyHidesTheEndDuringACut(t *testing.T) {
	t.Parallel()
	server, ended, _ := echo(t)
	p := startProxy(t, server)
	c := dial(t, p)
	if _, err := exchange(c, "before", 5*time.Second); err != nil {
		t.Fatal(err)
	}
	p.close(Up)
	_ = c.Close()
	select {
	case <-ended:
		t.Error("the server learnt of it during the cut")
	case <-time.After(200 * time.Millisecond):
	}
	p.reopen(Up)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the server did not learn of it after the cut")
	}
}

func (p *Proxy) isOpen(w Way) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shut[w] == nil
}
