package httpsender

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// Secret is a signing secret of the Standard Webhooks specification. Nothing prints it.
type Secret struct{ key []byte }

const (
	secretPrefix = "whsec_"
	minSecret    = 16 // bytes
)

// errSecret does not repeat what it was given.
var errSecret = errors.New(`idem: a webhook secret is "whsec_" and the base64 form of at least 16 random bytes`)

// ParseSecret reads a secret in the form that receivers have it: whsec_ and base64.
func ParseSecret(text string) (Secret, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, secretPrefix))
	if err != nil || len(key) < minSecret {
		return Secret{}, errSecret
	}
	return Secret{key}, nil
}

// sign returns the signature of a message, with its version.
func (s Secret) sign(id string, at time.Time, body []byte) string {
	h := hmac.New(sha256.New, s.key)
	_, _ = io.WriteString(h, id+"."+strconv.FormatInt(at.Unix(), 10)+".")
	_, _ = h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

const hidden = secretPrefix + "…"

// String hides the secret.
func (s Secret) String() string { return hidden }

// Format hides the secret from every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue hides the secret from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
