package lock

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/schema"
)

// The codes of what the lock has to say about tables.
const (
	codeNotAdditive  = "not-additive"
	codeRenamedTable = "renamed-table"
)

// tables carries the tables over and collects what must change in the database.
func (s *step) tables() ([]schema.Change, error) {
	var changes []schema.Change
	for _, p := range s.run.Packages {
		for _, d := range model.All[model.Tabled](p) {
			a := ask{schema.Of(p.Path, d), d.Rows().Columns, d.At()}
			made, err := s.table(a)
			if err != nil {
				return nil, err
			}
			changes = append(changes, made...)
		}
	}
	s.retire()
	slices.SortStableFunc(changes, func(a, b schema.Change) int { return strings.Compare(a.Table, b.Table) })
	return changes, nil
}

// ask is a table as a struct asks for it.
type ask struct {
	schema.Table
	columns []model.Column
	pos     diag.Position
}

func (s *step) table(a ask) ([]schema.Change, error) {
	to, importPath := a.Table, a.Package
	name := to.Display()
	if other, taken := s.Lock.Tables[name]; taken {
		s.duplicateTable(a, other)
		return nil, nil
	}
	s.Lock.Tables[name] = to
	from, found := s.old.Tables[name]
	if found && !from.Retired && from.Package != importPath && !s.run.Covers(from.Package) {
		s.duplicateTable(a, from)
		return nil, nil
	}
	if found && from.Kind() != to.Kind() {
		s.refuseKind(a, from)
		return nil, nil
	}
	if was := s.oldTable(to); was != "" {
		if found || !s.renamed(was, name) {
			s.refuseRename(a, was, name, found)
			return nil, nil
		}
		return s.rename(s.old.Tables[was], a)
	}
	if !found {
		return to.Create(), nil
	}
	return s.evolve(from, a)
}

func (s *step) refuseKind(a ask, from schema.Table) {
	s.diags.Add(a.pos, codeNotAdditive, "give it another table=", "the table %s holds %s in idem.lock and is to hold %s here",
		a.Display(), from.Holds(), a.Holds())
}

// oldTable is the other name under which the lock knows the table of this struct, or the name that the
// author gives up for this one; empty without.
func (s *step) oldTable(to schema.Table) string {
	now := to.Display()
	for _, name := range s.oldTables {
		old := s.old.Tables[name]
		sameStruct := !old.Retired && old.Package == to.Package && old.Struct == to.Struct
		if old.Kind() != to.Kind() {
			continue
		}
		if name != now && (sameStruct || s.run.Renames[name] == now) {
			return name
		}
	}
	return ""
}

func (s *step) refuseRename(a ask, was, name string, taken bool) {
	fix := "keep the name, or say that it may change: idem generate --rename " + was + "=" + name
	if taken {
		fix = "keep the name, or choose one that no table in idem.lock has"
	}
	s.diags.Add(a.pos, codeRenamedTable, fix,
		"the table of %s is %s in idem.lock and %s here: what was written once would be written again", a.Struct, was, name)
}

func (s *step) duplicateTable(a ask, other schema.Table) {
	s.diags.Add(a.pos, duplicateCode(model.Table), "give each struct its own table; if the struct has moved, run idem generate ./...",
		"the table %s belongs to %s.%s", other.Display(), other.Package, other.Struct)
}

// rename is what the author asked for by name: the table keeps its rows.
func (s *step) rename(from schema.Table, a ask) ([]schema.Change, error) {
	s.moved[from.Display()] = true
	moved := from
	moved.Name = a.Name
	rest, err := s.evolve(moved, a)
	return append([]schema.Change{schema.Rename(from, moved)}, rest...), err
}

// evolve leads from one form of a table to the other. What is not additive passes only when a migration of
// the team's own says that it was reviewed.
func (s *step) evolve(from schema.Table, a ask) ([]schema.Change, error) {
	to := a.Table
	change, refusals := schema.Diff(from, to)
	to.Reviews = from.Reviews
	if len(refusals) > 0 {
		marker := schema.Marker(from, to)
		reviewed, err := schema.Find(s.migrationsDir(), marker, nil)
		if err != nil {
			return nil, err
		}
		if reviewed == "" {
			s.refuse(a, refusals, marker)
		}
		to.Reviews++
	}
	s.Lock.Tables[to.Display()] = to
	if change == nil {
		return nil, nil
	}
	return []schema.Change{*change}, nil
}

func (s *step) refuse(a ask, refusals []schema.Refusal, marker string) {
	for _, r := range refusals {
		fix := fmt.Sprintf("review this, put it into a migration of your own in %s with its comment, and run idem generate"+
			" again: %s", s.Lock.Migrations.Dir, strings.TrimSpace(marker+" "+strings.Join(strings.Split(r.SQL, "\n    "), " ")))
		s.diags.Add(a.position(r.Column), codeNotAdditive, fix, "%s", r.Reason)
	}
}

func (a ask) position(column string) diag.Position {
	for _, c := range a.columns {
		if c.Name == column && c.Pos.Line > 0 {
			return c.Pos
		}
	}
	return a.pos
}

// retire keeps the tables that nothing asks for any more: their rows stay, and so do their migrations.
func (s *step) retire() {
	for _, name := range s.oldTables {
		t := s.old.Tables[name]
		if _, kept := s.Lock.Tables[name]; kept || s.moved[name] {
			continue
		}
		if s.run.Covers(t.Package) && !t.Retired {
			t.Retired = true
			s.Notes = append(s.Notes, fmt.Sprintf("table %s is no longer written by idem; its migration stays", name))
		}
		s.Lock.Tables[name] = t
	}
}

func (s *step) migrationsDir() string {
	return filepath.Join(s.run.Dir, filepath.FromSlash(s.Lock.Migrations.Dir))
}
