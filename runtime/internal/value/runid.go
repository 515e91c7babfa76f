package value

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"math/bits"
	mathrand "math/rand/v2"
	"sync"
	"time"
)

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// orderedBase32 keeps the order of the bytes in the order of the text.
var orderedBase32 = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRunID returns the name of a run that was enqueued without a key. Each is greater than the one before, so that new rows stand side
// by side in the index. The order decides nothing.
func NewRunID() string { return lastRunID.next(time.Now()) }

var lastRunID runIDs

// runIDs makes the ids of one process: 48 bits of time in milliseconds, and 80 bits that are random at first and grow by
// random steps within a millisecond.
type runIDs struct {
	mu     sync.Mutex
	millis uint64
	high   uint16
	low    uint64
}

func (r *runIDs) next(now time.Time) string {
	var b [16]byte
	r.mu.Lock()
	if millis := uint64(now.UnixMilli()); millis > r.millis {
		_, _ = rand.Read(b[:10]) // never fails, see crypto/rand
		// The highest bit stays free, so that the steps of a millisecond do not overflow.
		r.millis, r.high, r.low = millis, binary.BigEndian.Uint16(b[:])>>1, binary.BigEndian.Uint64(b[2:])
	} else {
		var carry uint64
		r.low, carry = bits.Add64(r.low, 1+uint64(mathrand.Uint32()), 0)
		r.high += uint16(carry)
	}
	binary.BigEndian.PutUint64(b[:], r.millis<<16|uint64(r.high))
	binary.BigEndian.PutUint64(b[8:], r.low)
	r.mu.Unlock()
	return "run_" + orderedBase32.EncodeToString(b[:])
}

// KeyedRunID returns the name of the run of an idempotency key. The name follows from the key alone: enqueueing
// again, even after the run's row was purged, gives the same run and so the same effect keys.
func KeyedRunID(tenant, node, key string) string {
	return DerivedID("key_", "idem run", tenant, node, key)
}

// ChildRunID returns the name of the n-th run of a node that a step enqueues with its completion: the same at every
// execution of the step.
func ChildRunID(parent, parentNode, node string, n int) string {
	return DerivedID("sub_", "idem child", parent, parentNode, node, string(binary.AppendUvarint(nil, uint64(n))))
}

// DerivedID hashes parts into an identifier: each part with its length, so that no two different
// lists of parts run together into the same text.
func DerivedID(prefix string, parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return prefix + lowerBase32.EncodeToString(h.Sum(nil)[:20])
}
