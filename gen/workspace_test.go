package gen_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/output"
)

// TestWorkspace generates for two modules of a workspace in one run: each has its own lock, and one uses what
// is generated for the other.
func TestWorkspace(t *testing.T) {
	m := &module{t: t, dir: t.TempDir()}
	if real, err := filepath.EvalSymlinks(m.dir); err == nil {
		m.dir = real
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	goVersion := strings.Fields(string(readFile(t, "../go.mod")))[3]
	m.write("go.work", "go "+goVersion+"\n\nuse (\n\t./one\n\t./two\n\t"+root+"\n)\n")
	m.write("one/go.mod", "module one.test\n\ngo "+goVersion+"\n\nrequire github.com/idem-go/idem v0.0.0\n")
	m.write("two/go.mod", "module two.test\n\ngo "+goVersion+"\n\nrequire (\n\tgithub.com/idem-go/idem v0.0.0\n\tone.test v0.0.0\n)\n")
	m.write("one/ledger/ledger.go", ledgerSource)
	m.write("two/shop.go", strings.ReplaceAll(shopSource, "cases.test/ledger", "one.test/ledger"))
	t.Setenv("GOFLAGS", "-mod=readonly")
	t.Setenv("GOWORK", filepath.Join(m.dir, "go.work"))

	patterns := []string{"./one/...", "./two/..."}
	m.wantDrift(gen.Options{Patterns: patterns}, map[string]output.State{
		"one/idem.lock": output.Created, "one/ledger/idem_gen.go": output.Created, "one/migrations/00001_idem_entry.sql": output.Created,
		"one/ledger/idem_gen_test.go": output.Created, "two/idem_gen_test.go": output.Created,
		"two/idem.lock": output.Created, "two/idem_gen.go": output.Created, "two/migrations/00001_idem_basket.sql": output.Created,
	})
	m.generate(gen.Options{Patterns: patterns})
	m.wantDrift(gen.Options{Patterns: patterns}, nil)
	m.write("one/ledger/ledger.go", "package ledger\n")
	m.write("two/shop.go", "package shop\n")
	m.wantDrift(gen.Options{Patterns: patterns}, map[string]output.State{
		"one/idem.lock": output.Changed, "one/ledger/idem_gen.go": output.Orphaned,
		"one/ledger/idem_gen_test.go": output.Orphaned, "two/idem_gen_test.go": output.Orphaned,
		"two/idem.lock": output.Changed, "two/idem_gen.go": output.Orphaned,
	})
}
