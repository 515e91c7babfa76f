package idem_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

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
	section := between(t, readme(t), "## A first handler in five minutes", "\n## ")
	blocks := fenced(section)
	if len(blocks) != 3 {
		t.Fatalf("the section has %d code blocks, want the set-up, main.go and the rest", len(blocks))
	}
	script := fmt.Sprintf("set -euo pipefail\n%s\ncat >main.go <<'END OF MAIN'\n%s\nEND OF MAIN\n%s", blocks[0], blocks[1], blocks[2])

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir = t.TempDir()
	released := append(os.Environ(), moduleEnv(t)...)
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

// TestReadmeShowsGeneratedCode keeps the code in the README what the generator writes.
func TestReadmeShowsGeneratedCode(t *testing.T) {
	t.Parallel()
	generated, err := os.ReadFile("examples/payments/billing/idem_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fenced(between(t, readme(t), "## What is generated", "`RecordLedgerEntry` keeps the row"))
	if len(blocks) != 2 {
		t.Fatalf("the section has %d code blocks, want 2", len(blocks))
	}
	for _, block := range blocks {
		if !bytes.Contains(generated, []byte(block)) {
			t.Errorf("the README shows what is not in idem_gen.go:\n%s", block)
		}
	}
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	if !found {
		t.Fatalf("the README has no %q", from)
	}
	section, _, _ := strings.Cut(rest, to)
	return section
}

// fenced gives the contents of the code blocks.
func fenced(markdown string) (blocks []string) {
	for i, part := range strings.Split(markdown, "```") {
		if _, code, found := strings.Cut(part, "\n"); i%2 == 1 && found {
			blocks = append(blocks, strings.TrimSuffix(code, "\n"))
		}
	}
	return blocks
}

// moduleEnv lets the go command find this checkout as a released version, in a module cache of its own. What else
// it needs comes from the cache that is there, or from where it came from.
func moduleEnv(t *testing.T) []string {
	t.Helper()
	const version = "v0.1.0"
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(idemModule), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, module.Version{Path: idemModule, Version: version}, "."); err != nil {
		t.Fatal(err)
	}
	goMod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".mod": goMod, version + ".zip": archive.Bytes(),
		version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return []string{
		"GOPROXY=file://" + proxy + ",file://" + goEnv(t, "GOMODCACHE") + "/cache/download," + goEnv(t, "GOPROXY"),
		"GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw -trimpath", "GOSUMDB=off", "GOWORK=off",
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
