package flow

import (
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/known"
)

// ConfigFile is the name of a project's own lines of the table. The nearest one at or above a package's
// folder counts, up to the folder of go.mod.
const ConfigFile = ".idemvet"

// Config names a file to read instead of looking for one.
var Config string

var tables sync.Map // path of the file -> func() (*known.Table, error)

// tableFor gives the table for a package.
func tableFor(pass *analysis.Pass) (*known.Table, error) {
	path := Config
	if path == "" {
		path = configNear(filepath.Dir(pass.Fset.File(pass.Files[0].FileStart).Name()))
	}
	if path == "" {
		return known.Builtin(), nil
	}
	load, _ := tables.LoadOrStore(path, sync.OnceValues(func() (*known.Table, error) {
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
