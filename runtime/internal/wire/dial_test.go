package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestThrough(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 99}
	for dsn, want := range map[string]string{
		"postgres://u:p@db.example:5432/app?sslmode=verify-full&sslrootcert=ca.pem&pool_max_conns=3": "postgres://u:p@127.0.0.1:99/app?pool_max_conns=3&sslmode=disable",
		"postgres://u@/app?host=/tmp/x&port=1":                                                       "postgres://u@127.0.0.1:99/app?sslmode=disable",
		"user=u dbname=app host=db.example":                                                          "user=u dbname=app host=db.example host=127.0.0.1 port=99 sslmode=disable",
	} {
		got := through(dsn, addr)
		if got != want {
			t.Errorf("through(%q) = %q", dsn, got)
		}
		c, err := pgconn.ParseConfig(got)
		if err != nil || c.Host != "127.0.0.1" || c.Port != 99 || c.Database != "app" || c.User != "u" || c.TLSConfig != nil || len(c.Fallbacks) > 0 {
			t.Errorf("%q is read as %+v, %v", got, c, err)
		}
	}
}

// The server's side speaks TLS; what the client sends arrives decrypted.
func TestTLSToTheServer(t *testing.T) {
	web := httptest.NewTLSServer(nil)
	certificates := web.TLS.Certificates
	web.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	startup := make(chan string, 1)
	go func() {
		defer close(startup)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		if _, code, err := readStartup(bufio.NewReaderSize(conn, 16)); err != nil || code != codeTLS {
			return
		}
		_, _ = conn.Write([]byte{'S'})
		secure := tls.Server(conn, &tls.Config{Certificates: certificates})
		message, _, _ := readStartup(bufio.NewReader(secure))
		startup <- string(message)
	}()

	p := Start(t, "postgres://u@"+listener.Addr().String()+"/app?sslmode=require")
	client, err := net.Dial("tcp", p.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	message := append(binary.BigEndian.AppendUint32(nil, 20), "\x00\x03\x00\x00user\x00me\x00\x00\x00\x00\x00"...)
	if _, err := client.Write(message); err != nil {
		t.Fatal(err)
	}
	if got := <-startup; !strings.Contains(got, "user\x00me") {
		t.Errorf("the server got %q", got)
	}
}

func TestDialFails(t *testing.T) {
	config, err := pgconn.ParseConfig("postgres://u@127.0.0.1:1/app?sslmode=prefer")
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := dial(context.Background(), config); err == nil {
		t.Error("connected", conn.Close())
	}
}
