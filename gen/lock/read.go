package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/schema"
)

// codeBadLock is the code of whatever makes a lock file useless.
const codeBadLock = "bad-lock"

const restore = "restore the file from version control, then run idem generate again"

// bad says why a lock file cannot be used, and how to get on.
func bad(name string, line int, fix, format string, args ...any) error {
	var list diag.List
	list.Add(diag.Position{File: name, Line: line, Column: 1}, codeBadLock, fix, format, args...)
	return list
}

// Read reads a lock file, which errors call name; one that is not there is a new one. A file that cannot be
// used is a diag.List.
func Read(path, name string) (*Lock, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return New(), nil
	}
	if err != nil {
		return nil, err
	}
	return Decode(name, data)
}

// Decode reads the content of a lock file.
func Decode(name string, data []byte) (*Lock, error) {
	if line := conflictLine(data); line > 0 {
		return nil, bad(name, line, "keep either side of it (git checkout --ours, or --theirs) and the migrations of both"+
			" sides, then run idem generate again", "the file holds merge conflict markers")
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return New(), nil // an empty file claims its folder
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	l := &Lock{}
	if err := decoder.Decode(l); err != nil {
		return nil, bad(name, errorLine(data, err), restore, "the file is not valid: %v", err)
	}
	if l.Version > version {
		return nil, bad(name, 1, "use that one: go get -tool github.com/idem-go/idem/cmd/idem@latest",
			"the file was written by a later idem (version %d)", l.Version)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, bad(name, 1, restore, "something follows the end of the file's content")
	}
	if err := l.check(); err != nil {
		return nil, bad(name, 1, restore, "%v", err)
	}
	l.complete()
	return l, nil
}

// errorLine is where the decoder gave up.
func errorLine(data []byte, err error) int {
	offset := 0
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = int(syntax.Offset)
	} else if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = int(wrong.Offset)
	}
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// check finds what later stages could not work with: the same each time, where there are several.
func (l *Lock) check() error {
	if l.Migrations.Format != "" {
		if _, err := schema.ParseFormat(string(l.Migrations.Format)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Files)) {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("the file %q does not lie below it", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Tables)) {
		t := l.Tables[name]
		if t.Display() != name || len(t.Key) == 0 || t.Outbox != nil && t.Outbox.Body == "" {
			return fmt.Errorf("the table %q is not complete", name)
		}
	}
	return nil
}

// conflictLine is the first line that version control has left for a person to resolve; 0 without.
func conflictLine(data []byte) int {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return n
		}
	}
	return 0
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
