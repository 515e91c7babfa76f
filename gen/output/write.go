package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Write makes the files what they should be. Either all of them are, or, on an error, all are what they
// were before: every new content is on disk beside its file before the first file is replaced, and what was
// replaced is put back.
func Write(files []File) error {
	t := &transaction{}
	defer t.discard()
	for _, f := range files {
		if f.State == Created || f.State == Changed {
			if err := t.prepare(f); err != nil {
				return errors.Join(err, t.rollback())
			}
		}
	}
	for _, f := range files {
		if err := t.apply(f); err != nil {
			return errors.Join(fmt.Errorf("nothing was written: %w", err), t.rollback())
		}
	}
	return nil
}

// transaction remembers how to go back.
type transaction struct {
	prepared map[string]string // final path to temporary file
	folders  []string          // that were made
	replaced []before
}

// before is a file as it was.
type before struct {
	path    string
	content []byte
	info    os.FileInfo // nil: it was not there
}

// prepare writes the new content beside the file.
func (t *transaction) prepare(f File) error {
	dir := filepath.Dir(f.Path)
	if err := t.makeFolder(dir); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".idem-*.tmp")
	if err != nil {
		return err
	}
	if t.prepared == nil {
		t.prepared = map[string]string{}
	}
	t.prepared[f.Path] = temp.Name()
	_, err = temp.Write(f.Content)
	return errors.Join(err, temp.Chmod(mode(f.Path)), temp.Close())
}

// makeFolder makes a folder and those above it, and remembers which.
func (t *transaction) makeFolder(dir string) error {
	var missing []string
	for folder := dir; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			break
		}
		missing = append(missing, folder)
	}
	t.folders = append(t.folders, missing...)
	return os.MkdirAll(dir, 0o755)
}

// mode is that of the file that is there, so that a replaced file keeps it.
func mode(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// apply replaces or removes one file.
func (t *transaction) apply(f File) error {
	switch f.State {
	case Created, Changed:
		if err := t.remember(f.Path); err != nil {
			return err
		}
		if err := os.Rename(t.prepared[f.Path], f.Path); err != nil {
			return err
		}
		delete(t.prepared, f.Path)
	case Orphaned:
		if err := t.remember(f.Path); err != nil {
			return err
		}
		return os.Remove(f.Path)
	}
	return nil
}

func (t *transaction) remember(path string) error {
	old := before{path: path}
	info, err := os.Stat(path)
	if err == nil {
		old.info = info
		old.content, err = os.ReadFile(path)
	}
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	t.replaced = append(t.replaced, old)
	return nil
}

// rollback puts everything back, the last change first.
func (t *transaction) rollback() error {
	var errs []error
	for _, old := range slices.Backward(t.replaced) {
		errs = append(errs, old.restore())
	}
	t.discard()
	for _, folder := range t.folders {
		os.Remove(folder) // fails where something else has come into it
	}
	return errors.Join(errs...)
}

func (b before) restore() error {
	if b.info == nil {
		if err := os.Remove(b.path); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	if current, err := os.ReadFile(b.path); err == nil && string(current) == string(b.content) {
		return nil
	}
	if err := os.WriteFile(b.path, b.content, b.info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(b.path, b.info.ModTime(), b.info.ModTime())
}

// discard removes the temporary files that are left.
func (t *transaction) discard() {
	for _, temp := range t.prepared {
		os.Remove(temp)
	}
	t.prepared = nil
}
