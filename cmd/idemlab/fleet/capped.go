package fleet

import (
	"bytes"
	"sync"
)

// maxStderr bounds what is kept of a worker's complaints.
const maxStderr = 64 << 10

// capped keeps the first bytes that are written to it.
type capped struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements [io.Writer].
func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf.Write(p[:min(len(p), maxStderr-c.buf.Len())])
	return len(p), nil
}

// String returns what was kept.
func (c *capped) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buf.String()
}
