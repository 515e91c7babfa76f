package schema

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Find returns the name of the first SQL file of the folder in which the text stands, or "" when there is
// none. Line ends do not matter. Files that known tells are passed over; it may be nil.
func Find(dir, text string, known func(name string) bool) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if entry.IsDir() || !strings.HasSuffix(entry.Name(), ".sql") || known != nil && known(entry.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return "", err
		}
		if strings.Contains(strings.ReplaceAll(string(data), "\r\n", "\n"), text) {
			return entry.Name(), nil
		}
	}
	return "", nil
}

// Detect says for which tool the migrations in the folder are written; plain if nothing tells.
func Detect(dir string) (Format, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".up.sql") {
			return GolangMigrate, nil
		}
	}
	if name, err := Find(dir, "-- +goose Up\n", nil); err != nil || name != "" {
		return Goose, err
	}
	return Plain, nil
}
