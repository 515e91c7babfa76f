package resolve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen/kind/provider"
	"github.com/idem-go/idem/gen/model"
)

const providerSource = `package p

import "context"

//idem:provider send
func Send(ctx context.Context, key string, req string) (string, error) { return "", nil }

//idem:provider receive
func Receive(ctx context.Context, key string, req string) (string, error) { return "", nil }
`

// TestMissingProviderPackageIsSaidOnce: the module has an idem that is older than the directive.
func TestMissingProviderPackageIsSaidOnce(t *testing.T) {
	dir := newModule(t, "-- p/p.go --\n"+providerSource)
	if err := os.RemoveAll(filepath.Join(dir, "stubs/idem/runtime/provider")); err != nil {
		t.Fatal(err)
	}
	list := diagnosticsOf(t, dir)
	if len(list) != 1 || list[0].Code != "runtime-missing" || list[0].Pos.Line != 5 || !strings.Contains(list[0].Message, "runtime/provider") {
		t.Errorf("got %v", list)
	}
	dir = t.TempDir() // has no idem at all
	writeFiles(t, dir, txtar.Parse([]byte("-- go.mod --\nmodule m.test\n\ngo 1.26\n-- p/p.go --\n"+providerSource)))
	if list := diagnosticsOf(t, dir); len(list) != 1 || list[0].Code != "runtime-missing" {
		t.Errorf("got %v", list)
	}
}

// TestGeneratedMethodsAreNoCollision: the generated file of the last run lies beside the source.
func TestGeneratedMethodsAreNoCollision(t *testing.T) {
	dir := newModule(t, `
-- p/p.go --
package p

import "context"

type Carrier struct{}

//idem:provider send
func (c *Carrier) Send(ctx context.Context, key string, req string) (string, error) { return "", nil }
-- p/idem_gen.go --
`+model.GeneratedHeader+`

package p

func (c *Carrier) CallSend() {}
`)
	p := mustResolve(t, dir, noCode)["cases.test/p"]
	if got := model.All[provider.Provider](p.Model); len(got) != 1 || got[0].CallSelector() != "Carrier.CallSend" {
		t.Errorf("got %+v", got)
	}
}
