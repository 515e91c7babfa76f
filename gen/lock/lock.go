package lock

import (
	"github.com/idem-go/idem/gen/schema"
)

// FileName is the name of the lock file.
const FileName = "idem.lock"

// version is of the file's form. A later version of idem may write a higher one.
const version = 1

// Lock is the content of idem.lock. Paths are relative to its folder, with forward slashes.
type Lock struct {
	Version    int
	Migrations Migrations
	Tests      *bool                       // whether tests are generated; never nil once it is read
	Files      map[string]string           // generated files and their hashes
	Names      map[string]map[string]Entry // the durable names, by their section's key
	Tables     map[string]schema.Table
}

// Migrations is where migrations go, and which ones idem has written.
type Migrations struct {
	Dir    string            `json:"dir"`
	Format schema.Format     `json:"format"`
	Files  map[string]string `json:"files"` // with the hashes that they were written with
}

// DefaultDir is where migrations go unless something else is said.
const DefaultDir = "migrations"

// New is the lock of a folder in which idem has not run yet.
func New(f Format) *Lock {
	l := &Lock{Version: version, Names: map[string]map[string]Entry{}, Tables: map[string]schema.Table{}}
	l.complete(f)
	return l
}

// complete fills in what an older or a shorter file leaves out.
func (l *Lock) complete(f Format) {
	l.Version = version
	if l.Migrations.Dir == "" {
		l.Migrations.Dir = DefaultDir
	}
	if l.Tests == nil {
		l.Tests = new(true)
	}
	for _, m := range []*map[string]string{&l.Migrations.Files, &l.Files} {
		if *m == nil {
			*m = map[string]string{}
		}
	}
	for _, sec := range f.Sections {
		if l.Names[sec.Key] == nil && sec.Always {
			l.Names[sec.Key] = map[string]Entry{}
		}
	}
}
