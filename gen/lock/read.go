package lock

import (
	"bytes"
	"cmp"
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
	"github.com/idem-go/idem/gen/object"
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
func Read(path, name string, f Format) (*Lock, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return New(f), nil
	}
	if err != nil {
		return nil, err
	}
	return Decode(name, data, f)
}

// file is what the lock file holds beside the sections of the kinds.
type file struct {
	head
	tail
}

type head struct {
	Version    int               `json:"version"`
	Migrations Migrations        `json:"migrations"`
	Tests      *bool             `json:"tests"`
	Files      map[string]string `json:"files"`
}

type tail struct {
	Tables map[string]json.RawMessage `json:"tables"`
}

// Decode reads the content of a lock file.
func Decode(name string, data []byte, f Format) (*Lock, error) {
	if line := conflictLine(data); line > 0 {
		return nil, bad(name, line, "keep either side of it (git checkout --ours, or --theirs) and the migrations of both"+
			" sides, then run idem generate again", "the file holds merge conflict markers")
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return New(f), nil // an empty file claims its folder
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	var own file
	if err := decoder.Decode(&own); err != nil {
		return nil, bad(name, errorLine(data, err), restore, "the file is not valid: %v", err)
	}
	if own.Version > version {
		return nil, bad(name, 1, "use that one: go get -tool github.com/idem-go/idem/cmd/idem@latest",
			"the file was written by a later idem (version %d)", own.Version)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, bad(name, 1, restore, "something follows the end of the file's content")
	}
	l := &Lock{Migrations: own.Migrations, Tests: own.Tests, Files: own.Files}
	if err := cmp.Or(l.readNames(data, f.Sections), l.readTables(own.Tables, f.Forms), l.check()); err != nil {
		return nil, bad(name, partLine(data, err), restore, "%v", err)
	}
	l.complete(f)
	return l, nil
}

// readNames reads the sections.
func (l *Lock) readNames(data []byte, sections []*Section) error {
	l.Names = map[string]map[string]Entry{}
	parts := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, sec := range sections {
		entries := map[string]json.RawMessage{}
		if parts[sec.Key] == nil {
			continue
		}
		if err := json.Unmarshal(parts[sec.Key], &entries); err != nil {
			return &partError{parts[sec.Key], fmt.Errorf("%s: %w", sec.Key, err)}
		}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			e, err := sec.Read(entries[name])
			if err != nil {
				return &partError{entries[name], fmt.Errorf("the %s %q: %w", sec.Space, name, err)}
			}
			l.keep(sec, name, e)
		}
	}
	return nil
}

func (l *Lock) readTables(tables map[string]json.RawMessage, forms schema.Forms) error {
	l.Tables = map[string]schema.Table{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		t, err := schema.ReadTable(tables[name], forms)
		if err != nil || t.Display() != name || len(t.Key) == 0 {
			return &partError{tables[name], fmt.Errorf("the table %q is not complete", name)}
		}
		l.Tables[name] = t
	}
	return nil
}

// partError says that a part of the file is wrong.
type partError struct {
	part json.RawMessage
	error
}

// partLine is where the part begins that an error is about.
func partLine(data []byte, err error) int {
	wrong, ok := errors.AsType[*partError](err)
	if !ok {
		return 1
	}
	return 1 + bytes.Count(data[:max(0, bytes.Index(data, wrong.part))], []byte("\n"))
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
	parts := []any{head{l.Version, l.Migrations, l.Tests, l.Files}}
	for _, key := range slices.Sorted(maps.Keys(l.Names)) {
		parts = append(parts, map[string]any{key: l.Names[key]})
	}
	text, err := object.Join(append(parts, map[string]any{"tables": l.Tables})...)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	return append(b.Bytes(), '\n'), nil
}
