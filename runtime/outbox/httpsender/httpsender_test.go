package httpsender

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.uber.org/goleak"

	"github.com/idem-go/idem/runtime/outbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// newTestSender makes a sender that may send to this machine.
func newTestSender(t *testing.T, change ...func(*Config)) *Sender {
	t.Helper()
	cfg := Config{AllowHTTP: true, AllowNetworks: loopback, Timeout: 2 * time.Second}
	for _, c := range change {
		c(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseIdleConnections)
	return s
}

// receiver is a server that counts requests.
func receiver(t *testing.T, handle http.HandlerFunc) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = &atomic.Int32{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handle(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, requests
}

func send(s *Sender, to, body string) outbox.Outcome {
	return s.Send(context.Background(), outbox.Command{ID: "cmd_1", To: to, Body: []byte(body)})
}

// is checks an outcome by the beginning of its text.
func is(t *testing.T, o outbox.Outcome, want string) {
	t.Helper()
	if !strings.HasPrefix(o.String(), want) {
		t.Errorf("the outcome is %q, want %q", o, want)
	}
}

const (
	current = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	next    = "whsec_bmV4dCBzZWNyZXQsIDI0IGJ5dGVzIG9mIGl0"
)

// The specification's own library verifies what is sent, with either secret of a rotation, over the exact bytes.
func TestSignature(t *testing.T) {
	t.Parallel()
	body := "{\"a\":1,\x00\xff}  "
	headers := make(chan http.Header, 10)
	url, _ := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		got, err := io.ReadAll(r.Body)
		if err != nil || string(got) != body {
			t.Errorf("the body is %q, %v", got, err)
		}
		headers <- r.Header
	})
	secrets := []Secret{must(ParseSecret(current)), must(ParseSecret(next))}
	s := newTestSender(t, func(c *Config) { c.Secrets = StaticSecrets(secrets...) })
	is(t, send(s, url, body), "confirmed")
	first := <-headers
	for _, secret := range []string{current, next} {
		if err := must(standardwebhooks.NewWebhook(secret)).Verify([]byte(body), first); err != nil {
			t.Errorf("%s does not verify: %v", secret, err)
		}
		if must(standardwebhooks.NewWebhook(secret)).Verify([]byte(body+" "), first) == nil {
			t.Error("another body verifies")
		}
	}
	if must(standardwebhooks.NewWebhook("whsec_"+base64.StdEncoding.EncodeToString(make([]byte, 24)))).Verify([]byte(body), first) == nil {
		t.Error("another secret verifies")
	}
	// What the library signs is what we sign.
	at := time.Unix(1614265330, 0)
	if want, got := must(must(standardwebhooks.NewWebhook(current)).Sign("msg_1", at, []byte(body))), secrets[0].sign("msg_1", at, []byte(body)); want != got {
		t.Errorf("the signature is %s, want %s", got, want)
	}
	time.Sleep(time.Until(time.Unix(time.Now().Unix()+1, 0)) + 10*time.Millisecond)
	is(t, send(s, url, body), "confirmed")
	second := <-headers
	if first.Get("webhook-id") != "cmd_1" || second.Get("webhook-id") != "cmd_1" || first.Get("Idempotency-Key") != "cmd_1" {
		t.Error("the id is not the command's", first)
	}
	if first.Get("webhook-timestamp") == second.Get("webhook-timestamp") || first.Get("webhook-signature") == second.Get("webhook-signature") {
		t.Error("timestamp and signature are not fresh")
	}
	if first.Get("Content-Type") != "application/json" {
		t.Error(first)
	}
}

func TestSecretsThatDoNotServe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "whsec_", "whsec_!!!", "whsec_" + base64.StdEncoding.EncodeToString([]byte("short"))} {
		if _, err := ParseSecret(text); err == nil || (len(text) > 6 && strings.Contains(err.Error(), text[6:])) {
			t.Errorf("%q: %v", text, err)
		}
	}
	url, requests := receiver(t, func(http.ResponseWriter, *http.Request) {})
	for name, secrets := range map[string]func(context.Context, outbox.Command) ([]Secret, error){
		"none": StaticSecrets(), "zero": StaticSecrets(Secret{}),
		"error": func(context.Context, outbox.Command) ([]Secret, error) { return nil, errors.New("the vault is closed") },
	} {
		if o := send(newTestSender(t, func(c *Config) { c.Secrets = secrets }), url, "x"); !strings.HasPrefix(o.String(), "unknown") {
			t.Errorf("%s: %v", name, o)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests went out unsigned", n)
	}
}

func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	s := must(ParseSecret(current))
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "secret", s, "in", []Secret{s}, "ptr", &s)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "secret", s, "in", struct{ S Secret }{s})
	fmt.Fprintf(&out, "%v %+v %#v %s %q %x %d %v %v", s, s, s, s, s, s, s, &s, struct{ S Secret }{s})
	data := must(json.Marshal(map[string]any{"s": s}))
	out.Write(data)
	key := must(base64.StdEncoding.DecodeString(current[6:]))
	for _, secret := range []string{current[6:], current[6:12], string(key), fmt.Sprintf("%x", key), fmt.Sprint(key[:4])[1:8]} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is in %s", secret, out.String())
		}
	}
}

// What each status means.
func TestF52_F53_F54_F55_StatusTable(t *testing.T) {
	t.Parallel()
	url, requests := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		if after := r.URL.Query().Get("after"); after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.Header().Set("Location", "/200")
		w.WriteHeader(status)
	})
	s := newTestSender(t)
	table := map[string]string{
		"/200": "confirmed", "/201": "confirmed", "/202": "confirmed", "/204": "confirmed", "/206": "confirmed", "/299": "confirmed",
		"/300": "parked", "/301": "parked", "/302": "parked", "/303": "parked", "/304": "parked", "/307": "parked", "/308": "parked",
		"/400": "rejected", "/401": "rejected", "/403": "rejected", "/404": "rejected", "/405": "rejected", "/410": "rejected", "/413": "rejected", "/451": "rejected",
		"/408": "unknown", "/409": "unknown", "/425": "unknown", "/422": "quarantined", "/429": "unknown", "/503": "unknown",
		"/500": "unknown", "/501": "unknown", "/502": "unknown", "/504": "unknown", "/599": "unknown",
		"/429?after=7": "retry after 7s", "/503?after=0": "retry after 0s", "/503?after=-5": "retry after 0s", "/500?after=7": "unknown",
		"/429?after=soon": "unknown", "/429?after=99999999999999999999": "retry after 2562047h47m16s",
	}
	for path, want := range table {
		is(t, send(s, url+path, "x"), want)
	}
	if n := int(requests.Load()); n != len(table) {
		t.Errorf("%d requests for %d sends", n, len(table))
	}
	at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	o := send(s, url+"/429?after="+strings.ReplaceAll(at, " ", "%20"), "x").String()
	var d time.Duration
	if d, _ = time.ParseDuration(strings.Split(strings.TrimPrefix(o, "retry after "), ":")[0]); d < 88*time.Second || d > 91*time.Second {
		t.Errorf("a date 90 s ahead: %s", o)
	}
}

// Answers without an end, that come byte by byte, packed to burst, or of another length than they say: the status decides,
// within bounded time and memory.
func TestF59_AnswersThatAreNotRight(t *testing.T) {
	t.Parallel()
	var written atomic.Int64
	zeros := make([]byte, 32<<10)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 1000 { // 32 MB
		_, _ = z.Write(zeros)
	}
	_ = z.Close()
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   string
		within time.Duration
	}{
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				n, err := w.Write(zeros)
				if written.Add(int64(n)); err != nil {
					return
				}
			}
		}, "confirmed", time.Second},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("x"))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}, "confirmed", 900 * time.Millisecond},
		"slow refusal": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusNotFound)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "rejected", 900 * time.Millisecond},
		"no answer": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client goes away
			<-r.Context().Done()
		}, "unknown", 900 * time.Millisecond},
		"packed": {func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "" {
				t.Error("the sender asks for packed answers, and so would unpack them")
			}
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		}, "confirmed", time.Second},
		"too short": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("x"))
		}, "confirmed", 500 * time.Millisecond},
		"endless headers": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			defer func() { _ = conn.Close() }()
			_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for err == nil {
				_, err = conn.Write([]byte("X-Y: " + strings.Repeat("z", 1000) + "\r\n"))
			}
		}, "unknown", time.Second},
		"endless interim answers": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			defer func() { _ = conn.Close() }()
			var err error
			for err == nil {
				_, err = io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
			}
		}, "unknown", time.Second},
		"no HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH\r\n")
			_ = conn.Close()
		}, "unknown", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			url, requests := receiver(t, c.handle)
			s := newTestSender(t, func(c *Config) { c.Timeout = 300 * time.Millisecond })
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			o := send(s, url, "x")
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			is(t, o, c.want)
			if took > c.within+time.Second { // the machine may be busy
				t.Errorf("it took %v", took)
			}
			if n := len(o.Receipt()); n > 6*4096+100 {
				t.Errorf("a receipt of %d bytes", n)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
				t.Errorf("%d MB were allocated", grown>>20)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestReceipt(t *testing.T) {
	t.Parallel()
	body := "é" + strings.Repeat("x", 10)
	url, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	for limit, want := range map[int]string{
		4096: `{"status":200,"body":"éxxxxxxxxxx"}`, 3: `{"status":200,"body":"éx"}`, 1: `{"status":200}`,
	} {
		s := newTestSender(t, func(c *Config) { c.ReceiptLimit = limit })
		if got := string(send(s, url, "x").Receipt()); got != want {
			t.Errorf("limit %d: %s", limit, got)
		}
	}
	body = "\xff\x00"
	if got := string(send(newTestSender(t), url, "x").Receipt()); got != `{"status":200,"bytes":"/wA="}` {
		t.Error(got)
	}
}

// The transport never sends a request again by itself: what the receiver sees is what the relay counts. A connection that
// the receiver closes while it is idle costs nothing.
func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	var drop atomic.Bool
	url, requests := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if drop.Load() {
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.Close()
		}
	})
	s := newTestSender(t, func(c *Config) {
		c.Header = func(outbox.Command) http.Header {
			return http.Header{"X-Idempotency-Key": {"mine"}, "idempotency-key": {"mine"}}
		}
	})
	sent := int32(0)
	for _, body := range []string{"x", "", strings.Repeat("x", 100_000)} {
		drop.Store(false)
		is(t, send(s, url, body), "confirmed")
		drop.Store(true)
		is(t, send(s, url, body), "unknown") // on the connection of before
		is(t, send(s, url, body), "unknown")
		if sent += 3; requests.Load() != sent {
			t.Errorf("after bodies of %d bytes the receiver has seen %d requests of %d sends", len(body), requests.Load(), sent)
		}
	}
}

func TestF60_PublicAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "172.32.0.1": true, "2606:4700:4700::1111": true, "2a00:1450::1": true, "::ffff:8.8.8.8": true,
		"0.0.0.0": false, "0.1.2.3": false, "127.0.0.1": false, "127.255.0.1": false, "10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.0.1": false, "169.254.169.254": false, "100.64.0.1": false, "192.0.0.170": false, "192.0.2.1": false, "198.18.0.1": false,
		"198.51.100.1": false, "203.0.113.9": false, "224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false, "192.88.99.1": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false, "::ffff:0.0.0.0": false,
		"::127.0.0.1": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fc00::1": false, "fd12::1": false, "ff02::1": false,
		"64:ff9b::7f00:1": false, "64:ff9b:1::1": false, "2002:7f00:1::": false, "2001:0:1::1": false, "2001:db8::1": false, "100::1": false,
		"3fff::1": false, "::ffff:0:127.0.0.1": false, "4000::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is public: %v", address, got)
		}
	}
	g := &guard{allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, ports: []uint16{443}}
	for address, want := range map[string]bool{
		"8.8.8.8:443": true, "8.8.8.8:22": false, "10.1.2.3:22": true, "[::ffff:10.1.2.3]:22": true, "10.2.0.1:443": false, "[::1]:443": false, "nonsense": false,
	} {
		if err := g.check(address); (err == nil) != want || err != nil && !errors.Is(err, ErrTargetForbidden) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A name that resolves to an address which is not public is refused when it is dialled, and nothing arrives.
func TestF60_NameOfAPrivateAddress(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	accepted := make(chan struct{})
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_ = conn.Close()
			close(accepted)
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	s, err := New(Config{AllowHTTP: true, Ports: []uint16{must(netip.ParseAddrPort(listener.Addr().String())).Port()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]"} {
		o := send(s, "http://"+host+":"+port+"/", "x")
		is(t, o, "rejected: target_forbidden: ")
	}
	select {
	case <-accepted:
		t.Error("a connection was made")
	default:
	}
}

// TLS is verified, a pool of one's own can be given, and versions below 1.2 are refused.
func TestTLS(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		max  uint16
		pool bool
		want string
	}{
		"unknown authority": {tls.VersionTLS13, false, "unknown"},
		"own pool":          {tls.VersionTLS13, true, "confirmed"},
		"1.2":               {tls.VersionTLS12, true, "confirmed"},
		"1.1":               {tls.VersionTLS11, true, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: c.max}
			server.EnableHTTP2 = true
			server.StartTLS()
			t.Cleanup(server.Close)
			s := newTestSender(t, func(cfg *Config) {
				cfg.AllowHTTP = false
				cfg.RootCAs = x509.NewCertPool()
				if c.pool {
					cfg.RootCAs.AddCert(server.Certificate())
				}
			})
			is(t, send(s, server.URL, "x"), c.want)
		})
	}
}

// Nothing in the environment sends commands elsewhere.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	proxy, proxied := receiver(t, func(http.ResponseWriter, *http.Request) {})
	url, requests := receiver(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy)
	}
	is(t, send(newTestSender(t), url, "x"), "confirmed")
	if proxied.Load() != 0 || requests.Load() != 1 {
		t.Errorf("%d requests to the proxy, %d to the receiver", proxied.Load(), requests.Load())
	}
}

func TestDestinationsThatCannotBe(t *testing.T) {
	t.Parallel()
	s := must(New(Config{AllowNetworks: loopback}))
	for _, to := range []string{"", "/path", "http://127.0.0.1/", "ftp://127.0.0.1/", "https://", "https:opaque", "https://user:pw@127.0.0.1/", "https://a b/", "https://127.0.0.1:port/"} {
		o := send(s, to, "x")
		is(t, o, "rejected: target_forbidden")
		if len(to) > 6 && strings.Contains(o.String(), to) {
			t.Errorf("the error repeats the destination: %v", o)
		}
	}
	for _, cfg := range []Config{{URL: "http://a"}, {URL: ":"}, {Timeout: -1}, {ReceiptLimit: maxAnswer + 1}} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%+v was accepted", cfg.URL)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
