//go:build unix

package idem_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// testToolDemo runs the demonstration where idem is a tool of another module, which has required what the command needs
// and not what the demonstration needs: its program is then built as it was released with the command. env has a module
// proxy, and caches in which another test has compiled the command: that takes long.
func testToolDemo(t *testing.T, env []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", `set -euo pipefail
go mod init example.com/shop
go get -tool github.com/idem-go/idem/cmd/idem@latest
if grep 'embedded-postgres v[^/]* h1:' go.sum; then echo "there is nothing that the module lacks"; exit 1; fi
cp go.mod go.sum ..
go tool idem demo --runs 20 --workers 2 --kills 1 --seed 3
cmp go.mod ../go.mod
cmp go.sum ../go.sum`)
	cmd.Dir = filepath.Join(t.TempDir(), "shop")
	if err := os.Mkdir(cmd.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("Seed 3: 20 runs")) || !bytes.Contains(out, []byte("0 duplicates, 0 lost: every effect happened once.")) {
		t.Errorf("%v\n%s", err, out)
	}
}
