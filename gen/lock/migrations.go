package lock

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/schema"
)

const (
	codeMissingMigration = "missing-migration"
	codeUnknownMigration = "unknown-migration"
)

// migrations writes the changes that no migration makes yet as one new migration, and looks after the
// old ones.
func (s *step) migrations(changes []schema.Change) error {
	s.keepMigrations()
	s.known = maps.Clone(s.Lock.Migrations.Files)
	if s.Lock.Migrations.Format == "" {
		format, err := schema.Detect(s.migrationsDir())
		if err != nil {
			return err
		}
		s.Lock.Migrations.Format = format
	}
	fresh, err := s.unwritten(changes)
	if err != nil || len(fresh) == 0 {
		return err
	}
	number, err := schema.NextNumber(s.migrationsDir())
	if err != nil {
		return err
	}
	for _, file := range schema.Migration(s.Lock.Migrations.Format, number, fresh) {
		s.addMigration(file.Name, []byte(file.Text))
		s.Migrations[path.Join(s.Lock.Migrations.Dir, file.Name)] = []byte(file.Text)
	}
	return nil
}

// listed reports whether the lock knew the migration of that name before.
func (s *step) listed(name string) bool {
	_, found := s.known[path.Join(s.Lock.Migrations.Dir, name)]
	return found
}

func (s *step) addMigration(name string, content []byte) {
	s.Lock.Migrations.Files[path.Join(s.Lock.Migrations.Dir, name)] = Hash(content)
}

// unwritten leaves out the changes that stand in a migration which the lock does not know, as after a merge in
// which the other side's lock was kept. A migration that it knows made its change in its own time.
func (s *step) unwritten(changes []schema.Change) ([]schema.Change, error) {
	var fresh []schema.Change
	for _, c := range changes {
		name, err := schema.Find(s.migrationsDir(), c.Up, s.listed)
		if err != nil {
			return nil, err
		}
		if name == "" {
			if err := s.unknown(c); err != nil {
				return nil, err
			}
			fresh = append(fresh, c)
			continue
		}
		content, err := os.ReadFile(filepath.Join(s.migrationsDir(), name))
		if err != nil {
			return nil, err
		}
		s.addMigration(name, content)
		if note := "table " + c.Table + ": " + name + " makes the change already"; !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
	return fresh, nil
}

// unknown refuses to create a table that a migration creates in another form.
func (s *step) unknown(c schema.Change) error {
	head, _, _ := strings.Cut(c.Up, "\n")
	if !strings.HasPrefix(head, "CREATE TABLE ") {
		return nil
	}
	name, err := schema.Find(s.migrationsDir(), head+"\n", s.listed)
	if err == nil && name != "" {
		s.diags.Add(diag.Position{File: s.run.Name, Line: 1, Column: 1}, codeUnknownMigration,
			"restore idem.lock from version control; if the table was never created, remove the migration",
			"%s creates the table %s in another form, and idem.lock does not know it", name, c.Table)
	}
	return err
}

// keepMigrations finds each migration of the lock on disk. They may be edited and renamed, but not be lost:
// a database elsewhere may have seen them.
func (s *step) keepMigrations() {
	for _, file := range slices.Sorted(maps.Keys(s.old.Migrations.Files)) {
		if exists(filepath.Join(s.run.Dir, filepath.FromSlash(file))) {
			continue
		}
		hash := s.old.Migrations.Files[file]
		delete(s.Lock.Migrations.Files, file)
		if moved := s.movedMigration(file, hash); moved != "" {
			s.Lock.Migrations.Files[moved] = hash
			continue
		}
		s.diags.Add(diag.Position{File: s.run.Name, Line: 1, Column: 1}, codeMissingMigration,
			"restore it from version control; if no database has seen it, remove its line and its tables from idem.lock",
			"the migration %s is missing", file)
	}
}

var migrationNumber = regexp.MustCompile(`^\d+_`)

// movedMigration finds a migration that was given another number: a file of the same name behind it, or of
// the same content, that the lock does not list.
func (s *step) movedMigration(file, hash string) string {
	dir := path.Dir(file)
	entries, err := os.ReadDir(filepath.Join(s.run.Dir, filepath.FromSlash(dir)))
	if err != nil {
		return ""
	}
	title := migrationNumber.ReplaceAllString(path.Base(file), "")
	for _, entry := range entries {
		candidate := path.Join(dir, entry.Name())
		if _, listed := s.Lock.Migrations.Files[candidate]; listed || entry.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(s.run.Dir, filepath.FromSlash(candidate)))
		sameTitle := migrationNumber.ReplaceAllString(entry.Name(), "") == title
		if err == nil && (Hash(content) == hash || sameTitle && migrationNumber.MatchString(entry.Name())) {
			return candidate
		}
	}
	return ""
}
