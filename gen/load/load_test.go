package load

import (
	"context"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen/scan"
)

// program loads a module of the standard library alone. Every package of it mentions idem.
func program(t *testing.T, files string) *Program {
	t.Helper()
	dir := t.TempDir()
	archive := txtar.Parse([]byte("-- go.mod --\nmodule m.test\n\ngo 1.26\n" + files))
	for _, f := range archive.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found, err := scan.Packages(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := Parse(dir, found)
	if err := p.Import(context.Background(), func(*Package) bool { return true }); err != nil {
		t.Fatal(err)
	}
	return p
}

const chain = `
-- a/a.go --
package a

import "m.test/m"

//idem
var V = m.Generated

type T struct{ M m.T }
-- m/m.go --
package m

import "m.test/z"

//idem
type T struct{ Z z.T }
-- z/z.go --
package z

import "time"

//idem
type T struct{ At time.Time }

func body() { return undefined }
`

func TestImportedPackagesComeFirst(t *testing.T) {
	p := program(t, chain)
	var order []string
	for _, pkg := range p.Packages {
		order = append(order, pkg.Name)
	}
	if got := strings.Join(order, " "); got != "z m a" {
		t.Errorf("the order is %s", got)
	}
}

func TestGeneratedCodeJoinsItsPackage(t *testing.T) {
	p := program(t, chain)
	z, m, a := p.Packages[0], p.Packages[1], p.Packages[2]
	p.Check(z)
	p.Check(m)
	if len(z.Errors)+len(m.Errors) > 0 {
		t.Fatalf("errors of what is right, bodies aside: %v %v", z.Errors, m.Errors)
	}
	if err := p.Join(m, []byte("package m\n\nvar Generated = 1\n")); err != nil {
		t.Fatal(err)
	}
	p.Check(a)
	if len(a.Errors) > 0 {
		t.Errorf("the importer does not see what was generated: %v", a.Errors)
	}
	if v := a.Types.Scope().Lookup("V"); v.Type() != types.Typ[types.Int] {
		t.Errorf("V is %v", v.Type())
	}
}

func TestErrorsAreKeptAndTolerated(t *testing.T) {
	p := program(t, chain)
	for _, pkg := range p.Packages {
		p.Check(pkg)
	}
	a := p.Packages[2]
	if len(a.Errors) != 1 || !strings.Contains(a.Errors[0].Msg, "undefined: m.Generated") {
		t.Errorf("got %v", a.Errors)
	}
	field := a.Types.Scope().Lookup("T").Type().Underlying().(*types.Struct).Field(0)
	if got := field.Type().String(); got != "m.test/m.T" {
		t.Errorf("the field beside it is %s", got)
	}
}

func TestJoinRefusesWhatIsNotGo(t *testing.T) {
	p := program(t, chain)
	err := p.Join(p.Packages[0], []byte("package z\n\nfunc {\n"))
	if err == nil || !strings.Contains(err.Error(), "idem_gen.go:3:6") || !strings.Contains(err.Error(), "func {") {
		t.Errorf("got %v", err)
	}
}

func TestSyntaxErrorsHavePositions(t *testing.T) {
	p := program(t, "-- a/a.go --\npackage a\n\n//idem\nfunc {\n")
	list := p.SyntaxDiagnostics(p.Packages[0])
	if len(list) == 0 || filepath.ToSlash(list[0].Pos.String()) != "a/a.go:4:6" {
		t.Errorf("got %v", list)
	}
}

func TestWhatIsNotAPackageIsNotLoaded(t *testing.T) {
	for _, path := range []string{"", "C", "unsafe", "./x", "../x", "/x", "a...", "file=x", "all", "std"} {
		if isLoadable(path) {
			t.Errorf("%q is loaded", path)
		}
	}
	for _, path := range []string{"time", "net/http", "example.com/a-b/v2", "gopkg.in/yaml.v3"} {
		if !isLoadable(path) {
			t.Errorf("%q is not loaded", path)
		}
	}
}
