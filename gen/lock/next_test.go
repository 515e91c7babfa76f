package lock_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/kind/effect"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/registry"
)

// project is a folder with a lock, led on run by run.
type project struct {
	*testing.T
	dir  string
	lock *lock.Lock
}

func newProject(t *testing.T) *project {
	return &project{T: t, dir: t.TempDir(), lock: lock.New(registry.Kinds.Lock())}
}

// next runs over all packages of the lock, except those that the option leaves out.
func (p *project) next(change func(*lock.Run), packages ...*model.Package) (*lock.Next, error) {
	everything := func(string) bool { return true }
	run := lock.Run{
		Dir: p.dir, Name: "idem.lock", Packages: packages, Generated: map[string][]byte{},
		Covers: everything, CoversDir: everything,
	}
	for _, m := range packages {
		run.Generated[m.Name+"/idem_gen.go"] = []byte(m.Name)
	}
	if change != nil {
		change(&run)
	}
	return p.lock.Next(run, registry.Kinds.Lock())
}

// must runs, writes the migrations and keeps the lock.
func (p *project) must(change func(*lock.Run), packages ...*model.Package) *lock.Next {
	p.Helper()
	next, err := p.next(change, packages...)
	if err != nil {
		p.Fatal(err)
	}
	for name, content := range next.Migrations {
		p.write(name, string(content))
	}
	p.lock = next.Lock
	return next
}

func (p *project) write(name, content string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		p.Fatal(err)
	}
}

// refused runs and expects one diagnostic of the code, with the texts in it.
func (p *project) refused(change func(*lock.Run), code string, packages []*model.Package, texts ...string) diag.Diagnostic {
	p.Helper()
	_, err := p.next(change, packages...)
	list, ok := errors.AsType[diag.List](err)
	if !ok || len(list) != 1 || list[0].Code != code {
		p.Fatalf("want %s, got %v", code, err)
	}
	for _, text := range texts {
		if !strings.Contains(list[0].Error(), text) {
			p.Errorf("%q does not say %q", list[0].Error(), text)
		}
	}
	return list[0]
}

func names(migrations map[string][]byte) []string { return slices.Sorted(maps.Keys(migrations)) }

func pkg(name string, parts ...model.Declaration) *model.Package {
	return &model.Package{Path: "shop.test/" + name, Name: name, Declarations: parts}
}

func newHandler(fn, node string) handler.Handler {
	return handler.Handler{Kind: handler.Action, Func: fn, Name: node, In: model.Type{Expr: "In"}, Pos: diag.Position{File: "a.go", Line: 3, Column: 1}}
}

func newEffect(typ, table string, columns ...model.Column) effect.Effect {
	columns = append([]model.Column{{Name: "n", Field: "N", SQLType: "bigint"}}, columns...)
	return effect.Effect{Type: typ, Table: table, Columns: columns, Pos: diag.Position{File: "a.go", Line: 9, Column: 1}}
}

func nullable(name string) model.Column {
	return model.Column{Name: name, Field: name, SQLType: "text", Nullable: true, Pos: diag.Position{File: "a.go", Line: 11, Column: 2}}
}

func required(name string) model.Column {
	c := nullable(name)
	c.Nullable = false
	return c
}

func rename(pairs ...string) func(*lock.Run) {
	return func(r *lock.Run) {
		r.Renames = map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			r.Renames[pairs[i]] = pairs[i+1]
		}
	}
}

// only makes a run over some packages.
func only(packages ...string) func(*lock.Run) {
	return func(r *lock.Run) {
		r.Covers = func(path string) bool { return slices.Contains(packages, strings.TrimPrefix(path, "shop.test/")) }
		r.CoversDir = func(dir string) bool { return slices.Contains(packages, dir) }
	}
}

func TestSecondRunChangesNothing(t *testing.T) {
	p := newProject(t)
	packages := []*model.Package{pkg("a", newHandler("Charge", "charge"), newEffect("Row", "rows"))}
	first := p.must(nil, packages...)
	second := p.must(nil, packages...)
	if len(first.Migrations) != 1 || len(second.Migrations)+len(second.Notes)+len(second.Orphans) > 0 {
		t.Errorf("first %v, second %v %v %v", names(first.Migrations), names(second.Migrations), second.Notes, second.Orphans)
	}
	if diff := cmp.Diff(first.Lock, second.Lock); diff != "" {
		t.Errorf("-first +second:\n%s", diff)
	}
}

func TestNodeRenames(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newHandler("Charge", "charge"), newHandler("Refund", "refund")))
	renamed := pkg("a", newHandler("Charge", "pay"), newHandler("Refund", "refund"))
	d := p.refused(nil, "renamed-node", []*model.Package{renamed}, `"charge"`, `"pay"`, "--rename charge=pay")
	if d.Pos.Line != 3 {
		t.Errorf("it stands at %v", d.Pos)
	}
	p.refused(rename("charge", "other"), "renamed-node", []*model.Package{renamed})
	next := p.must(rename("charge", "pay"), renamed)
	if _, old := next.Lock.Names["nodes"]["charge"]; old || len(next.Renamed) != 1 || next.Lock.Names["nodes"]["pay"].(handler.Node).Func != "Charge" {
		t.Errorf("renamed %v, nodes %v", next.Renamed, next.Lock.Names["nodes"])
	}
}

func TestNodesThatSwapTheirNames(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newHandler("Charge", "charge"), newHandler("Refund", "refund")))
	_, err := p.next(nil, pkg("a", newHandler("Charge", "refund"), newHandler("Refund", "charge")))
	if list, _ := errors.AsType[diag.List](err); len(list) != 2 {
		t.Errorf("want two diagnostics, got %v", err)
	}
}

func TestFunctionsMayBeRenamedAndMoved(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newHandler("Charge", "charge")), pkg("b", newHandler("Other", "other")))
	p.must(nil, pkg("a", newHandler("Pay", "charge")), pkg("b", newHandler("Other", "other")))
	next := p.must(nil, pkg("b", newHandler("Other", "other"), newHandler("Pay", "charge")))
	if next.Lock.Names["nodes"]["charge"].(handler.Node).Package != "shop.test/b" {
		t.Errorf("nodes %v", next.Lock.Names["nodes"])
	}
	if !slices.Equal(next.Orphans, []string{"a/idem_gen.go"}) {
		t.Errorf("orphans %v", next.Orphans)
	}
}

func TestRemovedNodeIsForgotten(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newHandler("Charge", "charge")))
	if next := p.must(nil); len(next.Lock.Names["nodes"]) > 0 {
		t.Errorf("nodes %v", next.Lock.Names["nodes"])
	}
}

func TestPartialRunLeavesOthersAlone(t *testing.T) {
	p := newProject(t)
	a, b := pkg("a", newHandler("A", "a"), newEffect("A", "a")), pkg("b", newHandler("B", "b"), newEffect("B", "b"))
	whole := p.must(nil, a, b)
	partial := p.must(only("a"), a)
	if diff := cmp.Diff(whole.Lock, partial.Lock); diff != "" {
		t.Errorf("-whole +partial:\n%s", diff)
	}
	if len(partial.Orphans)+len(partial.Notes) > 0 {
		t.Errorf("orphans %v, notes %v", partial.Orphans, partial.Notes)
	}
	p.refused(only("a"), "duplicate-node", []*model.Package{pkg("a", newHandler("Z", "b"), newEffect("A", "a"))}, "shop.test/b.B")
	p.refused(only("a"), "duplicate-table", []*model.Package{pkg("a", newHandler("A", "a"), newEffect("Another", "b"))}, "shop.test/b.B")
}

func TestTableRename(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newEffect("Row", "rows")))
	renamed := pkg("a", newEffect("Row", "lines", nullable("note")))
	p.refused(nil, "renamed-table", []*model.Package{renamed}, "--rename rows=lines")
	next := p.must(rename("rows", "lines"), renamed)
	text := string(next.Migrations["migrations/00002_idem_lines.sql"])
	for _, want := range []string{`ALTER TABLE "rows" RENAME TO "lines"`, `ADD COLUMN "note"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if _, old := next.Lock.Tables["rows"]; old || len(next.Notes) > 0 {
		t.Errorf("tables %v, notes %v", next.Lock.Tables, next.Notes)
	}
}

func TestNodeAndTableOfOneName(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newHandler("Rows", "rows"), newEffect("Row", "rows")))
	next := p.must(rename("rows", "lines"), pkg("a", newHandler("Rows", "lines"), newEffect("Row", "rows")))
	if _, kept := next.Lock.Tables["rows"]; !kept {
		t.Errorf("renaming the node lost the table: %v", next.Lock.Tables)
	}
}

func TestRetiredTableResumes(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newEffect("Row", "rows")))
	gone := p.must(nil, pkg("a"))
	if !gone.Lock.Tables["rows"].Retired || len(gone.Notes) != 1 || len(gone.Migrations) > 0 {
		t.Errorf("tables %v, notes %v, migrations %v", gone.Lock.Tables, gone.Notes, names(gone.Migrations))
	}
	if again := p.must(nil, pkg("a")); len(again.Notes) > 0 {
		t.Errorf("it is said twice: %v", again.Notes)
	}
	back := p.must(nil, pkg("b", newEffect("Other", "rows", nullable("note"))))
	text := string(back.Migrations["migrations/00002_idem_rows.sql"])
	if back.Lock.Tables["rows"].Retired || strings.Contains(text, "CREATE TABLE") || !strings.Contains(text, `ADD COLUMN "note"`) {
		t.Errorf("tables %v, migration\n%s", back.Lock.Tables, text)
	}
}

func TestEvolution(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newEffect("Row", "rows")))
	p.write("migrations/00007_by_hand.sql", "SELECT 1;")
	next := p.must(nil, pkg("a", newEffect("Row", "rows", nullable("note"))))
	if got := names(next.Migrations); !slices.Equal(got, []string{"migrations/00008_idem_rows.sql"}) {
		t.Errorf("migrations %v", got)
	}
}

func TestNotAdditiveNeedsReview(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newEffect("Row", "rows")))
	changed := []*model.Package{pkg("a", newEffect("Row", "rows", required("code"), nullable("note")))}
	d := p.refused(nil, "not-additive", changed, `ALTER TABLE "rows" ADD COLUMN "code" text NOT NULL;`, "idem:reviewed")
	if d.Pos.Line != 11 {
		t.Errorf("it stands at %v", d.Pos)
	}
	_, marked, _ := strings.Cut(d.Fix, "/*")
	p.write("migrations/00002_reviewed.sql", "/*"+marked)
	next := p.must(nil, changed...)
	text := string(next.Migrations["migrations/00003_idem_rows.sql"])
	if !strings.Contains(text, `ADD COLUMN "note"`) || strings.Contains(text, "code") {
		t.Errorf("the rest of the change is\n%s", text)
	}
	if second := p.must(nil, changed...); len(second.Migrations) > 0 {
		t.Errorf("a second run writes %v", names(second.Migrations))
	}
	p.refused(nil, "not-additive", []*model.Package{pkg("a", newEffect("Row", "rows", nullable("note")))}, "DROP COLUMN")
}

// TestChangesThereAndBack makes the same changes more than once: no earlier migration and no earlier review
// stands for a later one.
func TestChangesThereAndBack(t *testing.T) {
	p := newProject(t)
	without, with := pkg("a", newEffect("Row", "rows")), pkg("a", newEffect("Row", "rows", nullable("note")))
	p.must(nil, without)
	for range 2 {
		if next := p.must(nil, with); len(next.Migrations) != 1 {
			t.Fatalf("the column is added by %v", names(next.Migrations))
		}
		d := p.refused(nil, "not-additive", []*model.Package{without}, "DROP COLUMN")
		_, marked, _ := strings.Cut(d.Fix, "/*")
		p.write("migrations/reviewed"+strconv.Itoa(p.lock.Tables["rows"].Reviews)+".sql", "/*"+marked)
		p.must(nil, without)
	}
}

func TestChangedKeyIsRefused(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newEffect("Row", "rows")))
	keyed := newEffect("Row", "rows")
	keyed.Key = []string{"n"}
	d := p.refused(nil, "not-additive", []*model.Package{pkg("a", keyed)}, "run_id, node", "DROP CONSTRAINT")
	if d.Pos.Line != 9 {
		t.Errorf("it stands at %v", d.Pos)
	}
}

// TestMergeOfTwoBranches keeps one side's lock and both sides' migrations, as the error about conflict
// markers asks for.
func TestMergeOfTwoBranches(t *testing.T) {
	p := newProject(t)
	base := p.must(nil, pkg("a", newEffect("Row", "rows"))).Lock
	ours := p.must(nil, pkg("a", newEffect("Row", "rows", nullable("ours")))).Lock
	p.lock = base
	p.must(nil, pkg("a", newEffect("Row", "rows", nullable("theirs"))), pkg("b", newEffect("New", "new"))) // both in one file
	p.lock = ours
	merged := p.must(nil, pkg("a", newEffect("Row", "rows", nullable("ours"), nullable("theirs"))), pkg("b", newEffect("New", "new")))
	if len(merged.Migrations) > 0 || len(merged.Notes) != 2 {
		t.Errorf("migrations %v, notes %v", names(merged.Migrations), merged.Notes)
	}
	if files := merged.Lock.Migrations.Files; len(files) != 3 {
		t.Errorf("the lock lists %v", files)
	}
}

func TestLostLockDoesNotCreateTablesTwice(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newEffect("Row", "rows")))
	p.must(nil, pkg("a", newEffect("Row", "rows", nullable("note"))))
	p.lock = lock.New(registry.Kinds.Lock())
	p.refused(nil, "unknown-migration", []*model.Package{pkg("a", newEffect("Row", "rows", nullable("note")))}, "restore idem.lock")
}

func TestMigrationsMayBeEditedAndRenumbered(t *testing.T) {
	p := newProject(t)
	packages := []*model.Package{pkg("a", newEffect("Row", "rows"))}
	p.must(nil, packages...)
	p.write("migrations/00001_idem_rows.sql", "-- edited\n")
	if next := p.must(nil, packages...); len(next.Migrations) > 0 {
		t.Errorf("an edited migration leads to %v", names(next.Migrations))
	}
	if err := os.Rename(filepath.Join(p.dir, "migrations/00001_idem_rows.sql"), filepath.Join(p.dir, "migrations/00004_idem_rows.sql")); err != nil {
		t.Fatal(err)
	}
	next := p.must(nil, packages...)
	if _, found := next.Lock.Migrations.Files["migrations/00004_idem_rows.sql"]; !found || len(next.Lock.Migrations.Files) != 1 {
		t.Errorf("the lock lists %v", next.Lock.Migrations.Files)
	}
	if err := os.Remove(filepath.Join(p.dir, "migrations/00004_idem_rows.sql")); err != nil {
		t.Fatal(err)
	}
	p.refused(nil, "missing-migration", packages, "00004_idem_rows.sql is missing", "restore it")
}
