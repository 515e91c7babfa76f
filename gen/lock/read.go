package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idem-go/idem/gen/schema"
)

// Error says why a lock file cannot be used, and how to get on.
type Error struct {
	Path   string
	Reason string
	Fix    string
}

// Error gives the path, the reason and the fix.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s; %s", e.Path, e.Reason, e.Fix) }

const restore = "restore the file from version control, then run idem generate again"

// Read reads a lock file; one that is not there is a new one.
func Read(path string) (*Lock, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return New(), nil
	}
	if err != nil {
		return nil, err
	}
	return Decode(path, data)
}

// Decode reads the content of a lock file. path is for errors.
func Decode(path string, data []byte) (*Lock, error) {
	if hasConflict(data) {
		return nil, &Error{path, "it holds merge conflict markers", "keep either side of it (git checkout --ours, or" +
			" --theirs) and both sides' migrations, then run idem generate again"}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	l := &Lock{}
	if err := decoder.Decode(l); err != nil {
		return nil, &Error{path, "it is not valid: " + err.Error(), restore}
	}
	if l.Version > version {
		return nil, &Error{path, fmt.Sprintf("it was written by a later idem (version %d)", l.Version),
			"use that one: go get -tool github.com/idem-go/idem/cmd/idem@latest"}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, &Error{path, "something follows its end", restore}
	}
	if err := l.check(); err != nil {
		return nil, &Error{path, err.Error(), restore}
	}
	l.complete()
	return l, nil
}

// check finds what later stages could not work with.
func (l *Lock) check() error {
	if l.Migrations.Format != "" {
		if _, err := schema.ParseFormat(string(l.Migrations.Format)); err != nil {
			return err
		}
	}
	for name := range l.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("the file %q does not lie below it", name)
		}
	}
	for name, t := range l.Tables {
		if t.Display() != name || len(t.Key) == 0 {
			return fmt.Errorf("the table %q is not complete", name)
		}
	}
	return nil
}

func hasConflict(data []byte) bool {
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return true
		}
	}
	return false
}

// Encode writes the lock: sorted, a line per fact, so that merges touch what has changed.
func (l *Lock) Encode() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(l); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
