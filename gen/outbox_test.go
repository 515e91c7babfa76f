package gen_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/output"
)

// newHooks is a module with outboxes of each form, and a test of theirs.
func newHooks(t *testing.T) *module {
	t.Helper()
	m := newModule(t)
	archive, err := txtar.ParseFile("testdata/outbox.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		m.write(f.Name, string(f.Data))
	}
	return m
}

// TestGeneratedOutboxesDeliver lets a real worker queue generated commands, and generated relays send them to a
// receiver that loses answers.
func TestGeneratedOutboxesDeliver(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Postgres, and compiles against it")
	}
	m := newHooks(t)
	m.generate(gen.Options{Tests: new(false)})
	m.run(t, "go", "vet", "./hooks", "./hookstest")
	m.test(t, "./hookstest")
}

func TestOutboxesDrift(t *testing.T) {
	m := newHooks(t)
	off := gen.Options{Tests: new(false)}
	const first = "migrations/00002_idem_pings_and_3_more.sql"
	m.wantDrift(off, map[string]output.State{"idem.lock": output.Created, "hooks/idem_gen.go": output.Created, first: output.Created})
	m.generate(off)
	m.wantDrift(gen.Options{}, nil)

	source := m.read("hooks/hooks.go")
	m.write("hooks/hooks.go", strings.Replace(source, "Note *string", "Note, More *string", 1))
	m.wantDrift(gen.Options{}, map[string]output.State{
		"idem.lock": output.Changed, "hooks/idem_gen.go": output.Changed, "migrations/00003_idem_pings.sql": output.Created,
	})
	m.write("hooks/hooks.go", strings.Replace(source, "table=pings to=URL", "table=pings", 1))
	m.wantRefused(gen.Options{}, "not-additive")
	m.write("hooks/hooks.go", strings.Replace(source, "table=pings", "table=knocks", 1))
	m.wantRefused(gen.Options{}, "renamed-table")
	m.wantDrift(gen.Options{Renames: map[string]string{"pings": "knocks"}}, map[string]output.State{
		"idem.lock": output.Changed, "hooks/idem_gen.go": output.Changed, "migrations/00003_idem_knocks.sql": output.Created,
	})
	m.write("hooks/hooks.go", strings.ReplaceAll(source, "//idem:", "// "))
	m.wantDrift(gen.Options{}, map[string]output.State{"idem.lock": output.Changed, "hooks/idem_gen.go": output.Orphaned})
}
