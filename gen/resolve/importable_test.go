package resolve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// reachSource needs of idem what it does not import itself. The directives are in lines 5, 10 and 15.
const reachSource = `package p

import "context"

//idem:effect
type Row struct{ A int }

// Note is sent to others.
//
//idem:outbox to=URL
type Note struct{ URL, Kind string }

// Send is done by others.
//
//idem:provider send window=24h
func Send(ctx context.Context, key string, req string) (string, error) { return "", nil }
`

// wantMissing wants one runtime-missing for each place (line: path), with a fix that says this.
func wantMissing(t *testing.T, dir, fix string, places ...string) {
	t.Helper()
	var got []string
	for _, d := range diagnosticsOf(t, dir) {
		path, _, _ := strings.Cut(strings.TrimPrefix(d.Message, "generated code needs "), ":")
		got = append(got, fmt.Sprintf("%d: %s", d.Pos.Line, path))
		if d.Code != "runtime-missing" || !strings.Contains(d.Fix, fix) || strings.Contains(d.Message, "\n") {
			t.Errorf("want one line and the fix %q: %v", fix, d)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(places) {
		t.Errorf("got %q, want %q", got, places)
	}
}

// TestVendoredWithoutWhatIsGenerated: go mod vendor leaves out what only generated code imports.
func TestVendoredWithoutWhatIsGenerated(t *testing.T) {
	dir := newModule(t, "-- p/p.go --\n"+reachSource+"\n-- p/runtime.go --\npackage p\n\nimport _ \"github.com/idem-go/idem/runtime\"\n")
	goCommand(t, dir, "mod", "vendor")
	const fix = "set GOFLAGS=-mod=mod for one run of idem generate, and run go mod tidy and go mod vendor after it"
	wantMissing(t, dir, fix, "10: github.com/idem-go/idem/runtime/outbox", "10: github.com/jackc/pgx/v5/pgxpool", "15: github.com/idem-go/idem/runtime/provider")

	// What the fix says: generated code imports all of it, and is vendored with it.
	t.Setenv("GOFLAGS", "-mod=mod")
	mustResolve(t, dir, noCode)
	writeFiles(t, dir, txtar.Parse([]byte("-- p/idem_gen.go --\npackage p\n\nimport (\n\t_ \"github.com/idem-go/idem/runtime/outbox\"\n"+
		"\t_ \"github.com/idem-go/idem/runtime/provider\"\n\t_ \"github.com/jackc/pgx/v5/pgxpool\"\n)\n")))
	goCommand(t, dir, "mod", "vendor")
	t.Setenv("GOFLAGS", "-mod=vendor")
	if _, err := resolvePackages(dir, nil, noCode); err != nil {
		t.Error(err)
	}
}

// TestVendoredWithoutRuntime: nothing imports idem at all yet, which is said once.
func TestVendoredWithoutRuntime(t *testing.T) {
	dir := newModule(t, "-- p/p.go --\n"+reachSource)
	goCommand(t, dir, "mod", "vendor")
	wantMissing(t, dir, "go mod vendor", "5: github.com/idem-go/idem/runtime")
}

// TestRequiredWithoutWhatIsGenerated: the module has an idem that is older than its directives.
func TestRequiredWithoutWhatIsGenerated(t *testing.T) {
	dir := newModule(t, "-- p/p.go --\n"+reachSource)
	for _, name := range []string{"outbox", "provider"} {
		if err := os.RemoveAll(filepath.Join(dir, "stubs/idem/runtime", name)); err != nil {
			t.Fatal(err)
		}
	}
	wantMissing(t, dir, "run go get github.com/idem-go/idem/runtime/",
		"10: github.com/idem-go/idem/runtime/outbox", "15: github.com/idem-go/idem/runtime/provider")
}

// TestNotRequired: go.mod has neither idem nor what its packages import.
func TestNotRequired(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, txtar.Parse([]byte("-- go.mod --\nmodule m.test\n\ngo 1.26\n-- p/p.go --\n"+reachSource)))
	wantMissing(t, dir, "run go get github.com/idem-go/idem/runtime", "5: github.com/idem-go/idem/runtime")
}

// TestRequiredWithoutWhatItImports: what idem's packages import is not to be had. What is generated does not depend on
// it, and the go command says what to do when the package is built.
func TestRequiredWithoutWhatItImports(t *testing.T) {
	dir := newModule(t, "-- p/p.go --\n"+reachSource+`
-- stubs/idem/runtime/outbox/behind.go --
package outbox

import "no.such/thing"

var _ = thing.It
`)
	mustResolve(t, dir, noCode)
}
