package lock_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/kind/outbox"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/registry"
)

func newOutbox(typ, table string, columns ...model.Column) outbox.Outbox {
	columns = append([]model.Column{{Name: "url", Field: "URL", SQLType: "text", Pos: diag.Position{File: "a.go", Line: 10, Column: 2}}}, columns...)
	return outbox.Outbox{Type: typ, Table: table, To: "url", Columns: columns, Pos: diag.Position{File: "a.go", Line: 9, Column: 1}}
}

func TestOutboxIsKept(t *testing.T) {
	p := newProject(t)
	first := p.must(nil, pkg("a", newOutbox("Hook", "hooks")))
	if got := names(first.Migrations); !slices.Equal(got, []string{"migrations/00001_idem_hooks.sql"}) {
		t.Errorf("migrations %v", got)
	}
	encoded, err := p.lock.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if p.lock, err = lock.Decode("idem.lock", encoded, registry.Kinds.Lock()); err != nil {
		t.Fatal(err)
	}
	if second := p.must(nil, pkg("a", newOutbox("Hook", "hooks"))); len(second.Migrations)+len(second.Notes) > 0 {
		t.Errorf("a second run writes %v, and says %v", names(second.Migrations), second.Notes)
	}
	added := p.must(nil, pkg("a", newOutbox("Hook", "hooks", nullable("note"))))
	text := string(added.Migrations["migrations/00002_idem_hooks.sql"])
	if !strings.Contains(text, `ADD COLUMN "note" text;`) {
		t.Errorf("migrations %v\n%s", names(added.Migrations), text)
	}
}

func TestOutboxPartsNeedReview(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newOutbox("Hook", "hooks")))
	ordered := newOutbox("Hook", "hooks")
	ordered.OrderBy = "url"
	d := p.refused(nil, "not-additive", []*model.Package{pkg("a", ordered)}, `ADD COLUMN "seq"`, "CREATE INDEX", "idem:reviewed")
	if d.Pos.Line != 10 {
		t.Errorf("it stands at %v", d.Pos)
	}
	_, marked, _ := strings.Cut(d.Fix, "/*")
	p.write("migrations/00002_reviewed.sql", "/*"+marked)
	if next := p.must(nil, pkg("a", ordered)); len(next.Migrations) > 0 || next.Lock.Tables["hooks"].Form != ordered.Form() {
		t.Errorf("migrations %v, table %+v", names(next.Migrations), next.Lock.Tables["hooks"])
	}
}

func TestOutboxRename(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newOutbox("Hook", "hooks")))
	renamed := pkg("a", newOutbox("Hook", "calls"))
	p.refused(nil, "renamed-table", []*model.Package{renamed}, "--rename hooks=calls")
	next := p.must(rename("hooks", "calls"), renamed)
	text := string(next.Migrations["migrations/00002_idem_calls.sql"])
	for _, want := range []string{
		`ALTER TABLE "hooks" RENAME TO "calls";`, `RENAME CONSTRAINT "hooks_receipt_check" TO "calls_receipt_check";`,
		`ALTER INDEX "hooks_pending_idx" RENAME TO "calls_pending_idx";`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestOutboxIsNoEffect: a table keeps its kind, and a struct that changes its own gets another table.
func TestOutboxIsNoEffect(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newOutbox("Hook", "hooks"), newEffect("Row", "rows")))
	p.refused(nil, "not-additive", []*model.Package{pkg("a", newEffect("Hook", "hooks"), newEffect("Row", "rows"))}, "hooks holds commands", "the rows of an effect")
	p.refused(nil, "not-additive", []*model.Package{pkg("a", newOutbox("Hook", "hooks"), newOutbox("Row", "rows"))}, "rows holds the rows of an effect", "commands")
	next := p.must(nil, pkg("a", newOutbox("Hook", "hooks"), newOutbox("Row", "row_outbox")))
	if !next.Lock.Tables["rows"].Retired || len(next.Migrations) != 1 {
		t.Errorf("tables %v, migrations %v", next.Lock.Tables, names(next.Migrations))
	}
}

func TestOutboxAndEffectOfOneTable(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newOutbox("Hook", "hooks")), pkg("b"))
	p.refused(only("b"), "duplicate-table", []*model.Package{pkg("b", newOutbox("Other", "hooks"))}, "shop.test/a.Hook")
	p.refused(nil, "duplicate-table", []*model.Package{pkg("a", newOutbox("Hook", "hooks"), newOutbox("Other", "hooks"))}, "shop.test/a.Hook")
}
