package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/output"
	"github.com/idem-go/idem/runtime/pgtest"
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
	const first = "migrations/00002_idem_o_d_limit_d_and_4_more.sql"
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

// TestOutboxMigrationsThereAndBack runs the migrations of the golden cases on Postgres, as the tools they are for do.
func TestOutboxMigrationsThereAndBack(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Postgres")
	}
	dirs := map[string]string{}
	for _, c := range readCases(t) {
		dirs[c.name] = c.writeMigrations(t)
	}
	pool := pgtest.New(t)
	apply(t, pool, dirs["outbox-json"], ".up.sql", false)
	wantColumns(t, pool, "pings", 22)
	apply(t, pool, dirs["outbox-json"], ".down.sql", true)
	wantColumns(t, pool, "pings", 0)

	apply(t, pool, dirs["outbox"], ".sql", false)
	wantColumns(t, pool, "webhook_outbox", 20)

	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dirs["outbox-text"]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantColumns(t, pool, "mail_outbox", 18)
	wantColumns(t, pool, "steps", 18)
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	wantColumns(t, pool, "mail_outbox", 0)
}

// writeMigrations writes the case's migrations, those that a run finds and those that it makes, into a folder.
func (c goldenCase) writeMigrations(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range c.archive.Files {
		name, found := strings.CutPrefix(strings.TrimPrefix(f.Name, wantPrefix), "migrations/")
		if !found {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
