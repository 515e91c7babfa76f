package migrations_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"go.uber.org/goleak"

	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// odd are names that Postgres allows and that careless SQL would trip over.
var odd = []string{`my "schema"`, "Größe", "a.b", "se;le--ct", "50%s", `back\slash`, "idem2", strings.Repeat("x", 63), "/*", ":name"}

func up(t *testing.T, pool *pgxpool.Pool, schema string) []migrations.Change {
	t.Helper()
	changes, err := migrations.Up(ctx, pool, schema)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func exec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(ctx, sql); err != nil {
		t.Fatal(err)
	}
}

// version asks the schema for its version, as the runtime does; 0 when it has none.
func version(t *testing.T, pool *pgxpool.Pool, schema string) (v int) {
	t.Helper()
	err := pool.QueryRow(ctx, "SELECT "+pgx.Identifier{schema}.Sanitize()+".schema_version()").Scan(&v)
	if err != nil && !strings.Contains(err.Error(), "does not exist") {
		t.Fatal(err)
	}
	return v
}

// catalog describes everything in a schema, without the schema's name.
func catalog(t *testing.T, pool *pgxpool.Pool, schema string) []string {
	t.Helper()
	rows, err := pool.Query(ctx, `
WITH s AS (SELECT oid FROM pg_namespace WHERE nspname = $1)
SELECT format('relation %s %s %s', relname, relkind, reloptions) FROM pg_class, s WHERE relnamespace = s.oid
UNION ALL
SELECT format('column %s.%s %s %s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
  (SELECT collname FROM pg_collation WHERE oid = attcollation), pg_get_expr(adbin, adrelid))
FROM pg_class c JOIN s ON relnamespace = s.oid JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND relkind = 'r'
LEFT JOIN pg_attrdef d ON adrelid = c.oid AND adnum = attnum
UNION ALL
SELECT format('constraint %s %s', conname, pg_get_constraintdef(c.oid)) FROM pg_constraint c JOIN s ON connamespace = s.oid
UNION ALL
SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = $1
UNION ALL
SELECT format('function %s', pg_get_functiondef(p.oid)) FROM pg_proc p JOIN s ON pronamespace = s.oid
UNION ALL
SELECT format('trigger %s', pg_get_triggerdef(t.oid)) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN s ON relnamespace = s.oid
WHERE NOT tgisinternal
ORDER BY 1`, schema)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		line = strings.ReplaceAll(line, pgx.Identifier{schema}.Sanitize()+".", "")
		lines[i] = strings.ReplaceAll(line, schema+".", "") // unquoted, where that is enough
	}
	return lines
}

func sameCatalog(t *testing.T, pool *pgxpool.Pool, want, got string) {
	t.Helper()
	w, g := catalog(t, pool, want), catalog(t, pool, got)
	if len(w) < 20 {
		t.Fatalf("only %d things in the catalog of %q", len(w), want)
	}
	for _, line := range w {
		if !slices.Contains(g, line) {
			t.Errorf("%q lacks: %s", got, line)
		}
	}
	for _, line := range g {
		if !slices.Contains(w, line) {
			t.Errorf("%q has what %q has not: %s", got, want, line)
		}
	}
}

func TestVersionIsTheLatestFile(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var latest int64
	for _, f := range files {
		if v, err := goose.NumericComponent(f.Name()); err == nil {
			latest = max(latest, v)
		}
	}
	if latest != migrations.Version {
		t.Errorf("Version is %d, the latest file %d", migrations.Version, latest)
	}
}

func TestUpAndAgain(t *testing.T) {
	pool := pgtest.New(t)
	changes := up(t, pool, "")
	if len(changes) != migrations.Version || changes[0].Version != 1 || changes[0].Name != "steps" {
		t.Errorf("the first time: %v", changes)
	}
	if v := version(t, pool, migrations.DefaultSchema); v != migrations.Version {
		t.Errorf("schema_version() is %d", v)
	}
	if changes := up(t, pool, migrations.DefaultSchema); len(changes) != 0 {
		t.Errorf("the second time: %v", changes)
	}
}

func TestDownAndUpAgain(t *testing.T) {
	pool := pgtest.New(t)
	up(t, pool, "")
	up(t, pool, "untouched")
	for _, want := range []int{migrations.Version, 0} { // the second time there is nothing left to take back
		changes, err := migrations.Down(ctx, pool, "", 0)
		if err != nil || len(changes) != want {
			t.Fatal(changes, err)
		}
		if left := catalog(t, pool, "idem"); slices.ContainsFunc(left, func(s string) bool { return !strings.Contains(s, "migrations") }) {
			t.Errorf("left: %v", left)
		}
	}
	if v := version(t, pool, "untouched"); v != migrations.Version {
		t.Error("another schema went along")
	}
	if changes := up(t, pool, ""); len(changes) != migrations.Version {
		t.Errorf("up again: %v", changes)
	}
	sameCatalog(t, pool, "untouched", "idem")
}

func TestDownOfNothing(t *testing.T) {
	pool := pgtest.New(t)
	if changes, err := migrations.Down(ctx, pool, "", 0); err != nil || len(changes) != 0 {
		t.Error(changes, err)
	}
	var made bool
	if err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'idem')").Scan(&made); err != nil || made {
		t.Error("down has made the schema", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	database := pgtest.URL(t)
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		applied int
	)
	for range 8 {
		wg.Go(func() {
			pool, err := pgxpool.New(ctx, database) // each as its own process would
			if err != nil {
				t.Error(err)
				return
			}
			defer pool.Close()
			changes, err := migrations.Up(ctx, pool, "")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			applied += len(changes)
		})
	}
	wg.Wait()
	if applied != migrations.Version {
		t.Errorf("%d migrations were made", applied)
	}
}

func TestUpWaitsForItsLockOnlyAsLongAsItsContext(t *testing.T) {
	pool := pgtest.New(t)
	up(t, pool, "")
	tx, err := pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	// Whatever the key is: a session that holds it is recognised by Up waiting for it.
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrations.LockKey("idem")); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if _, err := migrations.Up(short, pool, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, err := migrations.Up(ctx, pool, "other"); err != nil {
		t.Errorf("another schema waits too: %v", err)
	}
}

// configured is a pool on a database of its own with another configuration.
func configured(t *testing.T, change func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	change(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func TestAPoolOfOneConnection(t *testing.T) {
	pool := configured(t, func(c *pgxpool.Config) { c.MaxConns = 1 })
	conn, err := pool.Acquire(ctx) // and even that is taken
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if changes := up(t, pool, ""); len(changes) != migrations.Version {
		t.Error(changes)
	}
}

func TestEveryModeOfPgx(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			pool := configured(t, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode })
			up(t, pool, "")
			if _, err := migrations.Down(ctx, pool, "", 0); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOddSchemas(t *testing.T) {
	pool := pgtest.New(t)
	up(t, pool, "")
	for _, schema := range odd {
		up(t, pool, schema)
		sameCatalog(t, pool, "idem", schema)
		if states, err := migrations.Status(ctx, pool, schema); err != nil || states[0].AppliedAt.IsZero() {
			t.Errorf("%s: %v, %v", schema, states, err)
		}
		if _, err := migrations.Down(ctx, pool, schema, 0); err != nil {
			t.Error(err)
		}
	}
	if v := version(t, pool, "idem"); v != migrations.Version {
		t.Error("the default schema went along")
	}
}

func TestRefusedSchemas(t *testing.T) {
	pool := pgtest.New(t)
	for _, schema := range []string{"a\x00b", "a\nb", strings.Repeat("x", 64), "pg_idem", "o'brien", "$$", "\xff"} {
		var refused *migrations.SchemaError
		_, err := migrations.Up(ctx, pool, schema)
		if !errors.As(err, &refused) {
			t.Errorf("%q: %v", schema, err)
		}
		if _, err := migrations.Print(schema, migrations.PrintOptions{}); !errors.As(err, &refused) {
			t.Errorf("%q: %v", schema, err)
		}
	}
}

func TestStatus(t *testing.T) {
	pool := pgtest.New(t)
	check := func(applied bool, versions int) {
		t.Helper()
		states, err := migrations.Status(ctx, pool, "")
		if err != nil || len(states) != versions {
			t.Fatal(states, err)
		}
		for i, s := range states {
			if s.Version != int64(i+1) || s.AppliedAt.IsZero() == applied {
				t.Errorf("%+v", s)
			}
		}
	}
	check(false, migrations.Version)
	up(t, pool, "")
	check(true, migrations.Version)
	exec(t, pool, fmt.Sprintf("INSERT INTO idem.migrations (version) VALUES (%d)", migrations.Version+1))
	check(true, migrations.Version+1)
	if changes := up(t, pool, ""); len(changes) != 0 { // an older release has nothing to do
		t.Error(changes)
	}
	if _, err := migrations.Down(ctx, pool, "", 0); !errors.Is(err, migrations.ErrNewer) {
		t.Errorf("down past an unknown version: %v", err)
	}
	if v := version(t, pool, "idem"); v != migrations.Version {
		t.Error("the known versions were taken back though the unknown one was not")
	}
}

// What Print gives makes the same tables as Up, and both know of each other.
func TestPrintEqualsUp(t *testing.T) {
	pool := pgtest.New(t)
	up(t, pool, "")
	for _, schema := range append([]string{"printed"}, odd...) {
		exec(t, pool, print(t, schema, migrations.PrintOptions{}))
		sameCatalog(t, pool, "idem", schema)
		if changes := up(t, pool, schema); len(changes) != 0 {
			t.Errorf("%s: up knows nothing of it: %v", schema, changes)
		}
		exec(t, pool, print(t, schema, migrations.PrintOptions{Down: true}))
		if changes := up(t, pool, schema); len(changes) != migrations.Version {
			t.Errorf("%s: taken back by SQL, up made %v", schema, changes)
		}
	}
}

func TestPrintedVersionByVersion(t *testing.T) {
	pool := pgtest.New(t)
	up(t, pool, "")
	for v := range int64(migrations.Version) {
		exec(t, pool, print(t, "printed", migrations.PrintOptions{Version: v + 1}))
	}
	sameCatalog(t, pool, "idem", "printed")
	for v := int64(migrations.Version); v > 0; v-- {
		exec(t, pool, print(t, "printed", migrations.PrintOptions{Version: v, Down: true}))
	}
	if v := version(t, pool, "printed"); v != 0 {
		t.Errorf("still at version %d", v)
	}
}

func TestPrintedSQLTwiceChangesNothing(t *testing.T) {
	pool := pgtest.New(t)
	sql := print(t, "idem", migrations.PrintOptions{})
	exec(t, pool, sql)
	before := catalog(t, pool, "idem")
	if _, err := pool.Exec(ctx, sql); err == nil {
		t.Error("the second time passes in silence")
	}
	if !slices.Equal(before, catalog(t, pool, "idem")) {
		t.Error("the second time changed something")
	}
}

// Teams with goose can take the file as it is.
func TestPrintForGoose(t *testing.T) {
	pool := pgtest.New(t)
	up(t, pool, "")
	dir := t.TempDir()
	text := print(t, `my "schema"`, migrations.PrintOptions{Goose: true})
	if err := os.WriteFile(dir+"/00007_idem.sql", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	p, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Up(ctx); err != nil {
		t.Fatal(err)
	}
	sameCatalog(t, pool, "idem", `my "schema"`)
	if _, err := p.DownTo(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if v := version(t, pool, `my "schema"`); v != 0 {
		t.Error("goose took nothing back")
	}
}

func print(t *testing.T, schema string, o migrations.PrintOptions) string {
	t.Helper()
	sql, err := migrations.Print(schema, o)
	if err != nil {
		t.Fatal(err)
	}
	return sql
}

func TestUnknownVersions(t *testing.T) {
	var unknown *migrations.VersionError
	if _, err := migrations.Print("", migrations.PrintOptions{Version: migrations.Version + 1}); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if _, err := migrations.Down(ctx, nil, "", -1); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

// A role without the right to create schemas can migrate one that was made for it, and is told so otherwise.
func TestRights(t *testing.T) {
	pool := pgtest.New(t)
	role := "role_" + pool.Config().ConnConfig.Database
	if _, err := pool.Exec(ctx, "CREATE ROLE "+role+" LOGIN PASSWORD 'hunter2'"); err != nil {
		t.Skip("the server's role may not create roles: ", err)
	}
	defer exec(t, pool, "DROP OWNED BY "+role+" CASCADE; DROP ROLE "+role)
	config := pool.Config()
	config.ConnConfig.User, config.ConnConfig.Password = role, "hunter2"
	theirs, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()

	_, err = migrations.Up(ctx, theirs, "")
	var e *migrations.Error
	if !errors.As(err, &e) || e.Op != "up" || !strings.Contains(err.Error(), "grant CREATE") {
		t.Errorf("without rights: %v", err)
	}
	exec(t, pool, "CREATE SCHEMA idem AUTHORIZATION "+role)
	up(t, theirs, "")
}

func TestTablesThatNobodyRecorded(t *testing.T) {
	pool := pgtest.New(t)
	exec(t, pool, "CREATE SCHEMA idem; CREATE TABLE idem.steps ()")
	_, err := migrations.Up(ctx, pool, "")
	var e *migrations.Error
	if !errors.As(err, &e) || e.Version != 1 || !strings.Contains(err.Error(), "choose another schema") {
		t.Errorf("got %v", err)
	}
	if states, err := migrations.Status(ctx, pool, ""); err != nil || !states[0].AppliedAt.IsZero() {
		t.Errorf("a failed version counts as applied: %v, %v", states, err)
	}
}

func TestErrorsDoNotTellThePassword(t *testing.T) {
	pool, err := pgxpool.New(ctx, "postgres://u:hunter2@127.0.0.1:1/x")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var e *migrations.Error
	if _, err := migrations.Up(ctx, pool, ""); !errors.As(err, &e) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}
