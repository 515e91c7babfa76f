//go:build unix

package idem_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/pgtest"
)

// TestReadmeFirstHandler does what the README's five minutes say, word for word, in a module of its own that
// gets idem through a module proxy.
func TestReadmeFirstHandler(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command anew, which takes over 10 s")
	}
	t.Parallel()
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skip("the README's commands use psql, which is not on the PATH")
	}
	section := between(t, readPage(t, "README.md").text, "## A first handler in five minutes", "\n## ")
	blocks := page{"README.md", section}.blocks()
	if len(blocks) != 3 {
		t.Fatalf("the section has %d code blocks, want the set-up, main.go and the rest", len(blocks))
	}
	script := fmt.Sprintf("set -euo pipefail\n%s\ncat >main.go <<'END OF MAIN'\n%s\nEND OF MAIN\n%s", blocks[0].code, blocks[1].code, blocks[2].code)

	released := append(os.Environ(), release(t)...)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir = t.TempDir()
	cmd.Env = append(released[:len(released):len(released)], "DATABASE_URL="+pgtest.URL(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := bytes.Count(out, []byte("greet completed\n")); n != 2 {
		t.Errorf("the program printed 'greet completed' %d times, want 2", n)
	}
	if !strings.Contains(string(out), "Ann  |     1") {
		t.Errorf("the table does not have one row for Ann")
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
	t.Run("demo", func(t *testing.T) { testToolDemo(t, released) })
}
