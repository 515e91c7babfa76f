package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/idem-go/idem"

// TestLinksIdemAndPgxAlone: the worker's memory is to be that of a team's, so that none of the peers is in it.
func TestLinksIdemAndPgxAlone(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	linked := strings.Fields(string(out))
	for _, path := range []string{module + "/runtime", "github.com/jackc/pgx/v5", module + "/bench/process/worker"} {
		if !slices.Contains(linked, path) {
			t.Errorf("%s is not linked; the list is of something else: %v", path, linked)
		}
	}
	allowed := []string{
		module + "/runtime", module + "/internal/sqltoken", module + "/bench/process", module + "/bench/ledger", module + "/bench/await",
		"github.com/jackc/", "golang.org/x/text/", "golang.org/x/sync/",
	}
	for _, path := range linked {
		if !slices.ContainsFunc(allowed, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
			t.Errorf("%s is linked into the worker", path)
		}
	}
}
