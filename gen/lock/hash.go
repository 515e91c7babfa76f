package lock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// Hash is what the lock keeps of a file's content. Line ends do not count: version control may change them.
func Hash(content []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}
