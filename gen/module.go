package gen

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// module is the module that a folder belongs to.
type module struct {
	dir  string
	path string
}

// moduleOf reads the go.mod above the folder. Without one, or without its module line, the module is empty.
func moduleOf(dir string) module {
	for folder := dir; ; folder = filepath.Dir(folder) {
		data, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil {
			return module{dir: folder, path: modfile.ModulePath(data)}
		}
		if folder == filepath.Dir(folder) {
			return module{}
		}
	}
}

// importPath is that of the package in a folder of the module.
func (m module) importPath(dir string) string {
	rel, err := filepath.Rel(m.dir, dir)
	if err != nil {
		return ""
	}
	return path.Join(m.path, filepath.ToSlash(rel))
}

// folder is where the package of that import path lies; false when it is not of the module.
func (m module) folder(importPath string) (string, bool) {
	rel, found := strings.CutPrefix(importPath, m.path)
	if !found || rel != "" && rel[0] != '/' {
		return "", false
	}
	return filepath.Join(m.dir, filepath.FromSlash(rel)), true
}
