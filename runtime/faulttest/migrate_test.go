package faulttest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/pgtest"
)

func TestMigrationFilesInTheirOrder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"10_b.up.sql", "10_b.down.sql", "9_a.sql", "00000000000000000000000000000011_c.sql", "20240101000000_d.sql", "readme.md", "seed.sql"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := migrationFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	want := []string{"seed.sql", "9_a.sql", "10_b.up.sql", "00000000000000000000000000000011_c.sql", "20240101000000_d.sql"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if _, err := migrationFiles(filepath.Join(dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "as seen from the test's package") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestTheWayDownIsCutOff(t *testing.T) {
	for tool, marker := range map[string]string{
		"goose": "-- +goose Down", "goose in lower case": "--+goose down", "sql-migrate": "-- +migrate Down notransaction",
		"dbmate": "-- migrate:down", "tern": "---- create above / drop below ----",
	} {
		if got := upPart("CREATE TABLE t ();\n" + marker + "\nDROP TABLE t;\n"); got != "CREATE TABLE t ();\n" {
			t.Errorf("%s: %q is left", tool, got)
		}
	}
	if plain := "-- +goose Up\n-- the way down: DROP TABLE t\nCREATE TABLE t ();"; upPart(plain) != plain {
		t.Error("a file without a way down is cut")
	}
}

// A team that keeps the runtime's own tables in its folder has them once.
func TestMigrateWithTheRuntimesTablesInTheFolder(t *testing.T) {
	sql, err := migrations.Print(migrations.DefaultSchema, migrations.PrintOptions{Goose: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "1_idem.sql"), []byte(sql), 0o600); err != nil {
		t.Fatal(err)
	}
	pool := pgtest.New(t)
	if err := migrate(t.Context(), pool, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "2_broken.sql"), []byte("CREATE TABEL t ();"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), pgtest.New(t), dir); err == nil || !strings.Contains(err.Error(), "2_broken.sql") {
		t.Errorf("a file that cannot be applied: %v", err)
	}
}
