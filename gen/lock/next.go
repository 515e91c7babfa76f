package lock

import (
	"maps"
	"path"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// Run is what a run of the generator knows when it comes to the lock.
type Run struct {
	Dir       string            // the lock's folder, absolute
	Name      string            // of the lock file, for diagnostics
	Packages  []*model.Package  // those that belong to the lock
	Generated map[string][]byte // what was generated for them, by path in the form of [Lock.Files]
	// Covers reports whether the run's patterns name the package, and it has seen all of it. Others are left as they are.
	Covers func(importPath string) bool
	// CoversDir is Covers for the folder of a file, relative to Dir.
	CoversDir func(dir string) bool
	Renames   map[string]string // old names that the author gives up, of durable names and tables
}

// Next is where a run leads.
type Next struct {
	Lock       *Lock
	Migrations map[string][]byte // new files, by path in the form of [Lock.Files]
	Orphans    []string          // generated files of which nothing is left
	Notes      []string          // what a person may want to know
	Renamed    []string          // the old names among Renames that stood in the lock
}

// Next compares what the lock remembers with what the source now says. The lock itself is not changed. The
// error is a diag.List where the source asks for what would harm effects in flight.
func (l *Lock) Next(run Run, f Format) (*Next, error) {
	s := &step{
		run: run, format: f, old: l, moved: map[string]bool{},
		oldTables: slices.Sorted(maps.Keys(l.Tables)),
		Next:      &Next{Lock: New(f), Migrations: map[string][]byte{}},
	}
	s.Lock.Tests = l.Tests
	s.Lock.Migrations = l.Migrations
	s.Lock.Migrations.Files = maps.Clone(l.Migrations.Files)
	s.files()
	for _, sec := range f.Sections {
		s.names(sec)
	}
	s.reserved()
	changes, err := s.tables()
	if err != nil {
		return nil, err
	}
	if err := s.migrations(changes); err != nil {
		return nil, err
	}
	if len(s.diags) > 0 {
		return nil, s.diags.Sorted()
	}
	slices.Sort(s.Renamed)
	s.Renamed = slices.Compact(s.Renamed)
	return s.Next, nil
}

// step is the work of Next.
type step struct {
	*Next
	run       Run
	format    Format
	old       *Lock
	oldTables []string          // names of the old lock's tables, sorted
	moved     map[string]bool   // tables that go on under another name
	known     map[string]string // migrations of the old lock, where they are now
	diags     diag.List
}

// files lists what was generated, keeps what the patterns leave alone, and finds what nothing makes any more.
func (s *step) files() {
	for name, content := range s.run.Generated {
		s.Lock.Files[name] = Hash(content)
	}
	for _, name := range slices.Sorted(maps.Keys(s.old.Files)) {
		switch {
		case s.Lock.Files[name] != "":
		case s.run.CoversDir(path.Dir(name)):
			s.Orphans = append(s.Orphans, name)
		default:
			s.Lock.Files[name] = s.old.Files[name]
		}
	}
}

// renamed reports whether the author gave up the old name for the new one.
func (s *step) renamed(from, to string) bool {
	if s.run.Renames[from] != to {
		return false
	}
	s.Renamed = append(s.Renamed, from)
	return true
}
