package attemptkey_builder_hash

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/idem-go/idem/runtime"
)

type Client interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

var client Client

func Builder(ctx runtime.Context, to string) error {
	var b strings.Builder
	b.WriteString(ctx.RunID())
	b.WriteByte('/')
	b.WriteString(strconv.Itoa(ctx.Attempt()))
	return client.Send(ctx, b.String(), to) // want `\[attemptkey\]`
}

func Buffer(ctx runtime.Context, to string) error {
	b := new(bytes.Buffer)
	fmt.Fprintf(b, "%s/%d", ctx.RunID(), ctx.Attempt())
	return client.Send(ctx, b.String(), to) // want `\[attemptkey\]`
}

func Hash(ctx runtime.Context, to string) error {
	h := sha256.New()
	h.Write([]byte(ctx.RunID()))
	io.WriteString(h, strconv.Itoa(ctx.Attempt()))
	return client.Send(ctx, hex.EncodeToString(h.Sum(nil)), to) // want `\[attemptkey\]`
}

func Sum(ctx runtime.Context, to string) error {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s|%d", ctx.RunID(), ctx.Attempt())))
	return client.Send(ctx, hex.EncodeToString(sum[:]), to) // want `\[attemptkey\]`
}

func HMAC(ctx runtime.Context, to string) error {
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write([]byte(ctx.RunID() + "|" + ctx.Node()))
	return client.Send(ctx, hex.EncodeToString(mac.Sum(nil)), to)
}

func Joined(ctx runtime.Context, to string) error {
	parts := []string{ctx.RunID(), ctx.Node(), strconv.Itoa(ctx.Attempt())}
	return client.Send(ctx, strings.Join(parts, "/"), to) // want `\[attemptkey\]`
}

// Two builders: the attempt goes into the other one.
func Apart(ctx runtime.Context, to string) error {
	var key, line strings.Builder
	key.WriteString("mail/" + ctx.RunID())
	line.WriteString(strconv.Itoa(ctx.Attempt()))
	fmt.Println(line.String())
	return client.Send(ctx, key.String(), to)
}

func Binary(ctx runtime.Context, to string) error {
	buf := make([]byte, 8)
	binary.BigEndian.PutUint64(buf, uint64(ctx.Attempt()))
	sum := sha256.Sum256(append([]byte(ctx.RunID()), buf...))
	return client.Send(ctx, hex.EncodeToString(sum[:]), to) // want `\[attemptkey\]`
}

func Marshalled(ctx runtime.Context, to string) error {
	data, err := json.Marshal(map[string]any{"run": ctx.RunID(), "attempt": ctx.Attempt()})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	return client.Send(ctx, hex.EncodeToString(sum[:]), to) // want `\[attemptkey\]`
}

func Grown(ctx runtime.Context, to string) error {
	parts := []string{ctx.RunID(), ctx.Node()}
	if ctx.Attempt() > 1 {
		parts = append(parts, strconv.Itoa(ctx.Attempt()))
	}
	return client.Send(ctx, strings.Join(parts, ":"), to) // want `\[attemptkey\]`
}

func Changed(ctx runtime.Context, to string) error {
	key := ctx.RunID() + ":" + ctx.Node()
	switch {
	case ctx.Attempt() > 1:
		key += ":attempt:" + strconv.Itoa(ctx.Attempt())
	}
	return client.Send(ctx, key, to) // want `\[attemptkey\]`
}
