package gen_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/idem-go/idem/runtime/pgtest"
)

// migrateAndBack applies the migrations of a folder on a real Postgres, and takes them back where the format
// can.
func migrateAndBack(t *testing.T, format, dir string) {
	t.Helper()
	if testing.Short() {
		return
	}
	pool := pgtest.New(t)
	switch format {
	case "goose":
		gooseUpAndDown(t, pool, dir)
	case "golang-migrate":
		apply(t, pool, dir, ".up.sql", false)
		wantColumns(t, pool, "entry", 6)
		apply(t, pool, dir, ".down.sql", true)
		wantColumns(t, pool, "entry", 0)
	default:
		apply(t, pool, dir, ".sql", false)
		wantColumns(t, pool, "entry", 6)
	}
}

func gooseUpAndDown(t *testing.T, pool *pgxpool.Pool, dir string) {
	t.Helper()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(context.Background()); err != nil {
		t.Fatal(err)
	}
	wantColumns(t, pool, "entry", 6)
	if _, err := provider.DownTo(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	wantColumns(t, pool, "entry", 0)
}

// apply runs the files with that ending, in the order of their names.
func apply(t *testing.T, pool *pgxpool.Pool, dir, ending string, backward bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	slices.Sort(files)
	if backward {
		slices.Reverse(files)
	}
	for _, file := range files {
		if _, err := pool.Exec(context.Background(), string(readFile(t, file)), pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%s: %v", filepath.Base(file), err)
		}
	}
}

func wantColumns(t *testing.T, pool *pgxpool.Pool, table string, want int) {
	t.Helper()
	var n int
	sql := `SELECT count(*) FROM information_schema.columns WHERE table_name = $1`
	if err := pool.QueryRow(context.Background(), sql, table).Scan(&n); err != nil || n != want {
		t.Errorf("table %s has %d columns, want %d (%v)", table, n, want, err)
	}
}

// TestGooseReadsGuardedStatements applies the golden case whose literals goose would cut in two.
func TestGooseReadsGuardedStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Postgres")
	}
	dir := t.TempDir()
	for _, c := range readCases(t) {
		for _, f := range c.archive.Files {
			name := strings.TrimPrefix(f.Name, wantPrefix)
			if c.name != "goose" || !strings.HasPrefix(name, "migrations/") {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	pool := pgtest.New(t)
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantColumns(t, pool, "beta", 4)
}
