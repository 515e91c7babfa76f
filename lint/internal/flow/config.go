package flow

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/idem-go/idem/lint/internal/known"
)

// ConfigFile is the name of a project's own lines of the table. The nearest one at or above a package's
// folder counts, up to the folder of go.mod.
const ConfigFile = ".idemvet"

// tables are the tables read so far.
type tables struct {
	read sync.Map // path of the file -> func() (*known.Table, error)
}

// of returns the table for a package.
func (t *tables) of(p *Package) (*known.Table, error) {
	path := p.options.Config
	if path == "" {
		path = configNear(filepath.Dir(p.pass.Fset.File(p.pass.Files[0].FileStart).Name()))
	}
	if path == "" {
		return known.Builtin(), nil
	}
	load, _ := t.read.LoadOrStore(path, sync.OnceValues(func() (*known.Table, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return known.Builtin().Extend(path, string(data))
	}))
	return load.(func() (*known.Table, error))()
}

// configNear finds the file that counts for a folder, or "".
func configNear(dir string) string {
	for {
		path := filepath.Join(dir, ConfigFile)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
