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
	Version    int                     `json:"version"`
	Migrations Migrations              `json:"migrations"`
	Tests      *bool                   `json:"tests"`               // whether tests are generated; never nil once it is read
	Files      map[string]string       `json:"files"`               // generated files and their hashes
	Nodes      map[string]Node         `json:"nodes"`               // by node name
	Providers  map[string]Provider     `json:"providers,omitempty"` // by the provider's name
	Tables     map[string]schema.Table `json:"tables"`
}

// Migrations is where migrations go, and which ones idem has written.
type Migrations struct {
	Dir    string            `json:"dir"`
	Format schema.Format     `json:"format"`
	Files  map[string]string `json:"files"` // with the hashes that they were written with
}

// Node is a handler that steps in the database may be waiting for.
type Node struct {
	Kind    string   `json:"kind"`
	Package string   `json:"package"`
	Func    string   `json:"func"`
	Key     []string `json:"key"` // what makes one of its effects one
	In      string   `json:"in"`
	Out     string   `json:"out,omitempty"`
}

// DefaultDir is where migrations go unless something else is said.
const DefaultDir = "migrations"

// New is the lock of a folder in which idem has not run yet.
func New() *Lock {
	l := &Lock{Version: version}
	l.complete()
	return l
}

// complete fills in what an older or a shorter file leaves out.
func (l *Lock) complete() {
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
	if l.Nodes == nil {
		l.Nodes = map[string]Node{}
	}
	if l.Providers == nil {
		l.Providers = map[string]Provider{}
	}
	if l.Tables == nil {
		l.Tables = map[string]schema.Table{}
	}
}
