package launch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/idem-go/idem/cmd/internal/cli"
)

const anyProgram = "github.com/idem-go/idem/cmd/idemvet"

func TestReleased(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"v1.2.3": "v1.2.3", "v0.0.0-20260102030405-abcdef012345": "v0.0.0-20260102030405-abcdef012345",
		"": "", "(devel)": "", "v1.2.4-0.20260102030405-abcdef012345+dirty": "",
	} {
		if got := released(&debug.BuildInfo{Main: debug.Module{Version: version}}); got != want {
			t.Errorf("released(%q) = %q, want %q", version, got, want)
		}
	}
	replaced := debug.Module{Version: "v1.2.3", Replace: &debug.Module{Path: "../idem"}}
	if got := released(&debug.BuildInfo{Main: replaced}); got != "" {
		t.Errorf("of a replaced module: %q", got)
	}
	if got := released(nil); got != "" {
		t.Errorf("of nothing known: %q", got)
	}
}

func TestFindInACheckout(t *testing.T) {
	version, err := find(t.Context(), anyProgram)
	if version != here || err != nil {
		t.Errorf("%q, %v", version, err)
	}
}

// TestRunBuildsNothingWithoutSource: the error says what the go command said and what to do, and nothing stays behind.
func TestRunBuildsNothingWithoutSource(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=vendor")
	t.Setenv("GOTMPDIR", tmp)
	for name, text := range map[string]string{"go.mod": "module example.com/vendored\n\ngo 1.26\n", "vendor/modules.txt": ""} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	err := Run(t.Context(), &cli.Console{Out: &out, Err: &out, Env: os.Getenv}, anyProgram, nil)
	source, ok := errors.AsType[*SourceError](err)
	if !ok || source.Program != anyProgram || !strings.Contains(source.Reason, "vendor") || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRunNeedsAGoCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := Run(t.Context(), &cli.Console{Env: os.Getenv}, anyProgram, nil); !errors.Is(err, ErrNoGo) {
		t.Error(err)
	}
}
