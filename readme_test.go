package idem_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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
	section := between(t, readPage(t, "README.md").text, "## A first handler in five minutes", "\n## ")
	blocks := page{"README.md", section}.blocks()
	if len(blocks) != 3 {
		t.Fatalf("the section has %d code blocks, want the set-up, main.go and the rest", len(blocks))
	}
	script := fmt.Sprintf("set -euo pipefail\n%s\ncat >main.go <<'END OF MAIN'\n%s\nEND OF MAIN\n%s", blocks[0].code, blocks[1].code, blocks[2].code)

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

// readmeSections are the README's titles, in the order in which a stranger needs them.
var readmeSections = []string{
	"What it promises, and on which condition",
	"See it",
	"A first handler in five minutes",
	"Where each crash leaves you",
	"Adopting it in a service that exists",
	"Limits",
	"Links",
}

// TestReadmeIsShort: it can be read at once, in the order of a stranger's questions.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	for _, problem := range lengthy(readPage(t, "README.md")) {
		t.Error(problem)
	}
	checkFinds(t, lengthy, map[string]string{
		strings.Repeat("x\n", 201):          "201 lines",
		"# idem\n\n## Links\n\n## Limits\n": "the sections",
		strings.Repeat("long ", 23):         "115 characters",
	})
}

func lengthy(p page) (problems []string) {
	if n := strings.Count(p.text, "\n"); n > 200 {
		problems = append(problems, p.problem("it has %d lines, at most 200 are read", n))
	}
	if sections := p.headings(2); !slices.Equal(sections, readmeSections) {
		problems = append(problems, p.problem("the sections are %q, want %q", sections, readmeSections))
	}
	for line := range strings.Lines(p.text) {
		if n := utf8.RuneCountInString(line); n > 111 && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "![") {
			problems = append(problems, p.problem("a line has %d characters: %s", n, line))
		}
	}
	return problems
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
