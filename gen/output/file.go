package output

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// State is how a file on disk compares with what it should be.
type State string

// The states.
const (
	Kept     State = "kept"     // as it should be
	Created  State = "missing"  // not there yet
	Changed  State = "changed"  // there, with other content
	Orphaned State = "orphaned" // there, and nothing makes it any more
)

// File is one file of a run.
type File struct {
	Path    string // absolute
	Rel     string // for people
	Content []byte // nil: remove the file
	State   State
}

// Drifted reports whether the file is not as it should be.
func (f File) Drifted() bool { return f.State != Kept }

// Kind says what may be done to a file that is there already.
type Kind int

// The kinds.
const (
	// Generated files are overwritten when they carry the header.
	Generated Kind = iota
	// Owned files, such as idem.lock, are overwritten as they are.
	Owned
	// Once files, such as migrations, are written only where nothing is.
	Once
)

// ForeignError says that a file stands where idem would write, and is not idem's.
type ForeignError struct {
	Rel string
}

// Error names the file and says what to do.
func (e *ForeignError) Error() string { return e.Rel + ": " + e.Reason() + "; " + e.Fix() }

// Reason says why the file is left alone.
func (e *ForeignError) Reason() string {
	return "idem would write this file, and has not written the one that is there"
}

// Fix says what a person can do.
func (e *ForeignError) Fix() string { return "move it away or rename it" }

// Compare returns the state of a file that should have this content.
func Compare(path, rel string, content []byte, kind Kind) (File, error) {
	f := File{Path: path, Rel: rel, Content: content, State: Kept}
	current, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State = Created
		return f, nil
	case err != nil:
		return f, err
	case same(current, content):
		return f, nil
	case kind == Once, kind == Generated && !IsGenerated(current):
		return f, &ForeignError{Rel: rel}
	}
	f.State = Changed
	return f, nil
}

// Orphan returns the file that nothing makes any more, to be removed. It reports false when there is nothing
// to remove: the file is gone, or somebody made it their own by taking the header out.
func Orphan(path, rel string) (File, bool, error) {
	f := File{Path: path, Rel: rel, State: Orphaned}
	current, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, false, nil
	}
	return f, err == nil && IsGenerated(current), err
}

// same compares without regard to line ends, which version control may change on checkout.
func same(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(withoutCR(a), b)
}

func withoutCR(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
