package scan

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/model"
)

// File is a Go file of a folder.
type File struct {
	Path string // absolute
	Src  []byte
	Err  error // why it cannot be read
}

// Folder returns all Go files of a folder, in order of their names, whatever build they are of, without tests and
// without what idem generated. A folder that does not exist has none.
func Folder(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var files []File
	for _, entry := range entries {
		f, ok := readFile(filepath.Join(dir, entry.Name()), entry)
		if ok && !f.IsGenerated() && !f.IsTest() {
			files = append(files, f)
		}
	}
	return files, err
}

// readFile reads an entry of a folder that is a Go file; false for all others, and for those that Go passes over.
func readFile(path string, entry fs.DirEntry) (File, bool) {
	name := entry.Name()
	if !strings.HasSuffix(name, ".go") || name[0] == '_' || name[0] == '.' || entry.Type()&^fs.ModeSymlink != 0 {
		return File{}, false
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return File{}, false // a link to a folder
	}
	src, err := os.ReadFile(path)
	return File{Path: path, Src: src, Err: err}, true
}

// IsTest reports whether the file is a test.
func (f File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// IsGenerated reports whether the file is one that idem wrote.
func (f File) IsGenerated() bool {
	return slices.Contains([]string{model.GeneratedFile, model.GeneratedTests}, filepath.Base(f.Path)) &&
		bytes.HasPrefix(f.Src, []byte(model.GeneratedHeader))
}

// Spells reports whether a directive of idem stands somewhere in the text, be it in a comment that was not closed or in
// a literal. It says yes too often, never no.
func (f File) Spells() bool { return bytes.Contains(f.Src, []byte("//idem:")) }
