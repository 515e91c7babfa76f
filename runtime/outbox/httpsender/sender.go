package httpsender

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idem-go/idem/runtime/outbox"
)

// Config sets a sender up. The zero value sends unsigned JSON to public https addresses.
type Config struct {
	// URL is where commands without a destination of their own go.
	URL string
	// Secrets returns the secrets to sign a command with: one, or two during a rotation. An error leaves the command for
	// later. Default: commands are not signed.
	Secrets func(ctx context.Context, c outbox.Command) ([]Secret, error)
	// Header returns further headers for a command, such as an Authorization. It is asked for each command, so that a
	// destination's credentials go nowhere else.
	Header func(c outbox.Command) http.Header
	// ContentType of the body. Default: application/json.
	ContentType string
	// Timeout bounds a request, from the dial to the end of the answer. Default: 15 s.
	Timeout time.Duration
	// ReceiptLimit is how much of an answer's body is kept as the receipt, in bytes. Default: 4096, at most 64 KiB.
	ReceiptLimit int
	// AllowHTTP: destinations may do without TLS.
	AllowHTTP bool
	// AllowNetworks are networks that may be connected to although they are not public, on any port.
	AllowNetworks []netip.Prefix
	// Ports that may be connected to. Default: 443 and 8443, and with AllowHTTP also 80 and 8080.
	Ports []uint16
	// RootCAs verify the receivers' certificates. Default: the system's.
	RootCAs *x509.CertPool
	// ConnectionsPerHost bounds idle connections. Default: 64.
	ConnectionsPerHost int
}

// maxAnswer is how much of an answer is read, in bytes; the same for its headers.
const maxAnswer = 64 << 10

// Sender is an [outbox.Sender].
type Sender struct {
	cfg       Config
	transport *http.Transport
}

var _ outbox.Sender = (*Sender)(nil)

// New makes a sender.
func New(cfg Config) (*Sender, error) {
	if cfg.ContentType == "" {
		cfg.ContentType = "application/json"
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 15 * time.Second
	}
	if cfg.ReceiptLimit == 0 {
		cfg.ReceiptLimit = 4096
	}
	if cfg.ConnectionsPerHost == 0 {
		cfg.ConnectionsPerHost = 64
	}
	if cfg.Ports == nil {
		cfg.Ports = []uint16{443, 8443}
		if cfg.AllowHTTP {
			cfg.Ports = append(cfg.Ports, 80, 8080)
		}
	}
	if cfg.Timeout < 0 || cfg.ReceiptLimit < 0 || cfg.ReceiptLimit > maxAnswer || cfg.ConnectionsPerHost < 0 {
		return nil, fmt.Errorf("idem: httpsender.Config: Timeout and ConnectionsPerHost must be positive, and ReceiptLimit between 1 and %d", maxAnswer)
	}
	s := &Sender{cfg: cfg}
	if cfg.URL != "" {
		if _, err := s.target(cfg.URL); err != nil {
			return nil, fmt.Errorf("idem: httpsender.Config.URL: %w", err)
		}
	}
	g := &guard{allow: cfg.AllowNetworks, ports: cfg.Ports}
	s.transport = &http.Transport{
		Proxy:                  nil, // whoever sets the environment must not read what is sent
		DialContext:            g.dialer().DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // nobody unpacks what a receiver packed
		MaxIdleConns:           0,
		MaxIdleConnsPerHost:    cfg.ConnectionsPerHost,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxAnswer,
	}
	return s, nil
}

// CloseIdleConnections closes connections that wait for the next command.
func (s *Sender) CloseIdleConnections() { s.transport.CloseIdleConnections() }

// StaticSecrets signs every command with the same secrets.
func StaticSecrets(secrets ...Secret) func(context.Context, outbox.Command) ([]Secret, error) {
	return func(context.Context, outbox.Command) ([]Secret, error) { return secrets, nil }
}

// Send implements [outbox.Sender].
func (s *Sender) Send(ctx context.Context, c outbox.Command) outbox.Outcome {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	text := c.To
	if text == "" {
		text = s.cfg.URL
	}
	to, err := s.target(text)
	if err != nil {
		return outbox.Rejected(nil, err)
	}
	req, err := s.request(ctx, to, c)
	if err != nil {
		return outbox.Unknown(err)
	}
	// The transport alone: a client would follow redirects, and keep cookies.
	resp, err := s.transport.RoundTrip(req)
	switch {
	case errors.Is(err, ErrTargetForbidden):
		return outbox.Rejected(nil, withoutTarget(err))
	case err != nil:
		return outbox.Unknown(withoutTarget(err))
	}
	defer func() { _ = resp.Body.Close() }()
	return judge(resp, s.receipt(resp))
}

// target refuses destinations that cannot be right. Its errors do not repeat them: they may hold secrets.
func (s *Sender) target(text string) (*url.URL, error) {
	to, err := url.Parse(text)
	switch {
	case err != nil || to.Host == "" || to.Opaque != "":
		return nil, fmt.Errorf("%w: the destination is not a URL with a host", ErrTargetForbidden)
	case to.Scheme == "http" && !s.cfg.AllowHTTP:
		return nil, fmt.Errorf("%w: the destination is not https", ErrTargetForbidden)
	case to.Scheme != "https" && to.Scheme != "http":
		return nil, fmt.Errorf("%w: the destination's scheme is neither https nor http", ErrTargetForbidden)
	case to.User != nil:
		return nil, fmt.Errorf("%w: the destination has credentials in its URL; send them as a header", ErrTargetForbidden)
	}
	to.Fragment, to.RawFragment = "", ""
	return to, nil
}

func (s *Sender) request(ctx context.Context, to *url.URL, c outbox.Command) (*http.Request, error) {
	body := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.Body)), nil }
	req := (&http.Request{
		Method: http.MethodPost, URL: to, Host: to.Host, Header: http.Header{},
		ContentLength: int64(len(c.Body)), GetBody: body,
	}).WithContext(ctx)
	if req.Body = http.NoBody; len(c.Body) > 0 {
		req.Body, _ = body()
	}
	if s.cfg.Header != nil {
		header := s.cfg.Header(c)
		for _, name := range slices.Sorted(maps.Keys(header)) { // two spellings of one name are both sent, in one order
			key := http.CanonicalHeaderKey(name)
			req.Header[key] = append(req.Header[key], header[name]...)
		}
	}
	req.Header.Set("Content-Type", s.cfg.ContentType)
	req.Header.Set("User-Agent", "idem")
	// Not in the canonical spelling, which makes no difference to receivers. With that one the transport would take
	// the request for one that it may send again by itself when a connection breaks, and nobody would have counted it.
	req.Header.Del("Idempotency-Key")
	req.Header.Del("X-Idempotency-Key")
	req.Header["idempotency-key"] = []string{c.ID}
	return req, s.sign(ctx, req, c)
}

// sign adds the headers of the Standard Webhooks specification.
func (s *Sender) sign(ctx context.Context, req *http.Request, c outbox.Command) error {
	now := time.Now()
	req.Header.Set("webhook-id", c.ID)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	if s.cfg.Secrets == nil {
		return nil
	}
	secrets, err := s.cfg.Secrets(ctx, c)
	if err != nil {
		return fmt.Errorf("idem: the signing secrets of the command: %w", err)
	}
	if len(secrets) == 0 {
		return errors.New("idem: there is no signing secret for the command; give one, or set no Secrets at all")
	}
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		if len(secret.key) < minSecret {
			return errSecret
		}
		signatures[i] = secret.sign(c.ID, now, c.Body)
	}
	req.Header.Set("webhook-signature", strings.Join(signatures, " "))
	return nil
}

// withoutTarget takes addresses and URLs out of an error of the transport, as far as the packages below say where they
// put them.
func withoutTarget(err error) error {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.Is(err, ErrTargetForbidden) && errors.As(err, &op):
		return op.Err
	case errors.As(err, &dns):
		return fmt.Errorf("the destination's name was not resolved: %s", dns.Err)
	case errors.As(err, &op):
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	return err
}
