package gen_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/output"
)

const (
	ledgerSource = `package ledger

import "github.com/idem-go/idem/runtime"

type Input struct{ Cents int64 }

//idem:action book
func Book(ctx runtime.Context, in Input) error { return RecordEntry(ctx, Entry{Cents: in.Cents}) }

//idem:effect
type Entry struct{ Cents int64 }
`
	shopSource = `package shop

import (
	"cases.test/ledger"
	"github.com/idem-go/idem/runtime"
)

//idem:action buy
func Buy(ctx runtime.Context, in ledger.Input) error { return ledger.RecordEntry(ctx, ledger.Entry{Cents: in.Cents}) }

//idem:effect
type Basket struct{ Owner string }
`
)

// newShop is a module of two packages, one of which uses the other's generated code.
func newShop(t *testing.T) *module {
	m := newModule(t)
	m.write("ledger/ledger.go", ledgerSource)
	m.write("shop/shop.go", shopSource)
	return m
}

// states gives the files of a run that are not kept, with their states.
func states(r *gen.Result) map[string]output.State {
	found := map[string]output.State{}
	for _, f := range r.Drift() {
		found[filepath.ToSlash(f.Rel)] = f.State
	}
	return found
}

func (m *module) wantDrift(o gen.Options, want map[string]output.State) *gen.Result {
	m.t.Helper()
	result, err := m.try(o)
	if err != nil {
		m.t.Fatal(err)
	}
	if want == nil {
		want = map[string]output.State{}
	}
	if diff := cmp.Diff(want, states(result)); diff != "" {
		m.t.Errorf("-want +got:\n%s", diff)
	}
	return result
}

// wantRefused runs and expects diagnostics of these codes alone.
func (m *module) wantRefused(o gen.Options, codes ...string) diag.List {
	m.t.Helper()
	_, err := m.try(o)
	list, ok := errors.AsType[diag.List](err)
	if !ok {
		m.t.Fatalf("want diagnostics, got %v", err)
	}
	var got []string
	for _, d := range list {
		got = append(got, d.Code)
	}
	if !slices.Equal(got, codes) {
		m.t.Errorf("want %v, got %v", codes, list)
	}
	return list
}

// times gives the modification times of all files but the sources.
func (m *module) times() map[string]time.Time {
	found := map[string]time.Time{}
	_ = filepath.WalkDir(m.dir, func(path string, entry os.DirEntry, err error) error {
		if info, statErr := os.Stat(path); err == nil && statErr == nil && !entry.IsDir() {
			found[path] = info.ModTime()
		}
		return nil
	})
	return found
}

func TestFirstRunAndSecondRun(t *testing.T) {
	m := newShop(t)
	m.wantDrift(gen.Options{}, map[string]output.State{
		"idem.lock": output.Created, "ledger/idem_gen.go": output.Created, "shop/idem_gen.go": output.Created,
		"ledger/idem_gen_test.go": output.Created, "shop/idem_gen_test.go": output.Created,
		"migrations/00001_idem_basket_and_1_more.sql": output.Created,
	})
	m.generate(gen.Options{})
	before := m.times()
	result := m.generate(gen.Options{})
	if len(result.Drift()) > 0 || result.Packages != 2 {
		t.Errorf("drift %v in %d packages", states(result), result.Packages)
	}
	if diff := cmp.Diff(before, m.times()); diff != "" {
		t.Errorf("the second run touched files:\n%s", diff)
	}
	m.run(t, "go", "vet", "./...")
}

func TestDriftNamesWhatIsStale(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("ledger/ledger.go", strings.Replace(ledgerSource, "Cents int64 }\n", "Cents int64; Note *string }\n", 2))
	m.write("shop/shop.go", strings.ReplaceAll(shopSource, "//idem:effect", ""))
	if err := os.Remove(filepath.Join(m.dir, "shop/idem_gen.go")); err != nil {
		t.Fatal(err)
	}
	result := m.wantDrift(gen.Options{}, map[string]output.State{
		"idem.lock": output.Changed, "ledger/idem_gen.go": output.Changed, "shop/idem_gen.go": output.Created,
		"ledger/idem_gen_test.go": output.Changed, "shop/idem_gen_test.go": output.Changed, // the input has a field more
		"migrations/00002_idem_entry.sql": output.Created,
	})
	if want := []string{"table basket is no longer written by idem; its migration stays"}; !slices.Equal(result.Notes, want) {
		t.Errorf("notes %q", result.Notes)
	}
}

func TestRemovedDirectivesRemoveTheirFile(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("shop/shop.go", "package shop\n")
	m.wantDrift(gen.Options{Patterns: []string{"./ledger"}}, nil)
	m.wantDrift(gen.Options{Patterns: []string{"./shop"}}, map[string]output.State{
		"idem.lock": output.Changed, "shop/idem_gen.go": output.Orphaned, "shop/idem_gen_test.go": output.Orphaned,
	})
	m.generate(gen.Options{})
	if _, err := os.Stat(filepath.Join(m.dir, "shop/idem_gen.go")); !os.IsNotExist(err) {
		t.Errorf("the orphan is still there: %v", err)
	}
	m.wantDrift(gen.Options{}, nil)
}

func TestRemovedFolderIsForgotten(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	if err := os.RemoveAll(filepath.Join(m.dir, "shop")); err != nil {
		t.Fatal(err)
	}
	m.generate(gen.Options{})
	if lock := m.read("idem.lock"); strings.Contains(lock, "shop/idem_gen.go") || strings.Contains(lock, `"buy"`) {
		t.Errorf("the lock still has the package:\n%s", lock)
	}
}

func TestAllDirectivesRemoved(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("ledger/ledger.go", "package ledger\n")
	m.write("shop/shop.go", "package shop\n")
	m.wantDrift(gen.Options{}, map[string]output.State{
		"idem.lock": output.Changed, "ledger/idem_gen.go": output.Orphaned, "shop/idem_gen.go": output.Orphaned,
		"ledger/idem_gen_test.go": output.Orphaned, "shop/idem_gen_test.go": output.Orphaned,
	})
}

func TestHandWrittenFilesAreNeverTouched(t *testing.T) {
	m := newShop(t)
	m.write("ledger/idem_gen.go", "package ledger\n\nfunc RecordEntryByHand() {}\n")
	list := m.wantRefused(gen.Options{}, "foreign-file")
	if list[0].Pos.File != filepath.FromSlash("ledger/idem_gen.go") {
		t.Errorf("it stands at %v", list[0].Pos)
	}
	if _, err := os.Stat(filepath.Join(m.dir, "idem.lock")); !os.IsNotExist(err) {
		t.Error("something was written")
	}
}

func TestOrphanThatSomebodyTookOver(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("shop/shop.go", "package shop\n")
	m.write("shop/idem_gen.go", "package shop\n\n// by hand\n")
	m.generate(gen.Options{})
	if got := m.read("shop/idem_gen.go"); !strings.Contains(got, "by hand") {
		t.Errorf("it was touched: %s", got)
	}
}

func TestLineEndsOfAWindowsCheckout(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	for _, name := range []string{"idem.lock", "ledger/idem_gen.go", "ledger/idem_gen_test.go", "shop/idem_gen.go", "migrations/00001_idem_basket_and_1_more.sql"} {
		m.write(name, strings.ReplaceAll(m.read(name), "\n", "\r\n"))
	}
	m.wantDrift(gen.Options{}, nil)
}

func TestStaleCodeDoesNotBlockTheRun(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("ledger/idem_gen.go", output.Header+"\n\npackage ledger\n\nthis is no Go\n")
	m.wantDrift(gen.Options{}, map[string]output.State{"ledger/idem_gen.go": output.Changed})
}

func TestMigrationFormats(t *testing.T) {
	for format, want := range map[string][]string{
		"goose":          {"db/00001_idem_basket_and_1_more.sql", "db/00002_idem_entry.sql"},
		"golang-migrate": {"db/00001_idem_basket_and_1_more.down.sql", "db/00001_idem_basket_and_1_more.up.sql", "db/00002_idem_entry.down.sql", "db/00002_idem_entry.up.sql"},
		"plain":          {"db/00001_idem_basket_and_1_more.sql", "db/00002_idem_entry.sql"},
	} {
		t.Run(format, func(t *testing.T) {
			m := newShop(t)
			m.generate(gen.Options{Migrations: "db", MigrationsFormat: format})
			m.write("ledger/ledger.go", strings.Replace(ledgerSource, "type Entry struct{ Cents int64 }", "type Entry struct {\n\tCents int64\n\tNote *string\n\tKind string `db:\"kind,default:'none'\"`\n}", 1))
			m.generate(gen.Options{})
			var got []string
			for path := range maps.Keys(m.times()) {
				if rel, _ := filepath.Rel(m.dir, path); strings.HasPrefix(rel, "db") {
					got = append(got, filepath.ToSlash(rel))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("files %v", got)
			}
			m.wantDrift(gen.Options{}, nil)
			migrateAndBack(t, format, filepath.Join(m.dir, "db"))
		})
	}
}

func TestSettingsOfTheLockStay(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{Migrations: "db", MigrationsFormat: "goose"})
	m.generate(gen.Options{})
	if lock := m.read("idem.lock"); !strings.Contains(lock, `"dir": "db"`) || !strings.Contains(lock, `"format": "goose"`) {
		t.Errorf("the lock is\n%s", lock)
	}
	if _, err := m.try(gen.Options{MigrationsFormat: "flyway"}); err == nil || !strings.Contains(err.Error(), "golang-migrate") {
		t.Errorf("an unknown format: %v", err)
	}
}

func TestRenames(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("ledger/ledger.go", strings.NewReplacer("idem:action book", "idem:action enter", "//idem:effect", "//idem:effect table=entries").Replace(ledgerSource))
	m.wantRefused(gen.Options{}, "renamed-node", "renamed-table")
	if _, err := m.try(gen.Options{Renames: map[string]string{"book": "enter", "entry": "entries", "boko": "x"}}); err == nil || !strings.Contains(err.Error(), "--rename boko=x") {
		t.Errorf("a rename of nothing: %v", err)
	}
	m.generate(gen.Options{Renames: map[string]string{"book": "enter", "entry": "entries"}})
	if sql := m.read("migrations/00002_idem_entries.sql"); !strings.Contains(sql, `RENAME TO "entries"`) {
		t.Errorf("the migration is\n%s", sql)
	}
	m.wantDrift(gen.Options{}, nil)
}

func TestConflictInTheLock(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("idem.lock", "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n")
	m.wantRefused(gen.Options{}, "bad-lock")
}

func TestEachLockHasItsOwnPart(t *testing.T) {
	m := newShop(t)
	m.write("shop/idem.lock", "")
	m.generate(gen.Options{})
	for name, parts := range map[string][2]string{"idem.lock": {`"book"`, `"buy"`}, "shop/idem.lock": {`"buy"`, `"book"`}} {
		if lock := m.read(name); !strings.Contains(lock, parts[0]) || strings.Contains(lock, parts[1]) {
			t.Errorf("%s is\n%s", name, lock)
		}
	}
	m.read("shop/migrations/00001_idem_basket.sql")
	m.read("migrations/00001_idem_entry.sql")
}

// TestNewLockTakesItsPart makes a lock below one that has the package's files already.
func TestNewLockTakesItsPart(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("shop/idem.lock", "")
	m.generate(gen.Options{})
	m.read("shop/idem_gen.go")
	if strings.Contains(m.read("idem.lock"), "shop/idem_gen.go") {
		t.Error("the file belongs to two locks")
	}
	m.wantDrift(gen.Options{}, nil)
}
