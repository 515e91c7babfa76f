package vet

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// TestFixSaysTheSameEachTime: of several files that cannot be read the first by name is told.
func TestFixSaysTheSameEachTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := &Result{}
	for _, name := range []string{"c.go", "a.go", "d.go", "b.go"} {
		r.Findings = append(r.Findings, Finding{edits: []edit{{file: filepath.Join(dir, name), end: 1}}})
	}
	for range 30 {
		_, err := r.Fix()
		if missing, ok := errors.AsType[*fs.PathError](err); !ok || filepath.Base(missing.Path) != "a.go" {
			t.Fatalf("%v", err)
		}
	}
}
