package runtime

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"time"
)

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// orderedBase32 keeps the order of the bytes in the order of the text.
var orderedBase32 = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newRunID names a run that was enqueued without a key: 48 bits of time, so that new rows stand side
// by side in the index, and 80 random bits. The time decides nothing.
func newRunID() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(time.Now().UnixMilli())<<16)
	_, _ = rand.Read(b[6:]) // never fails, see crypto/rand
	return "run_" + orderedBase32.EncodeToString(b[:])
}

// keyedRunID names the run of an idempotency key. The name follows from the key alone: enqueueing
// again, even after the run's row was purged, gives the same run and so the same effect keys.
func keyedRunID(tenant, node, key string) string {
	return derivedID("key_", "idem run", tenant, node, key)
}

// childRunID names the n-th run of a node that a step enqueues with its completion: the same at every
// execution of the step.
func childRunID(parent, parentNode, node string, n int) string {
	return derivedID("sub_", "idem child", parent, parentNode, node, string(binary.AppendUvarint(nil, uint64(n))))
}
