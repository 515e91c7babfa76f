package lock

import (
	"fmt"
	"os"
	"path/filepath"
)

// Locate returns the path of the lock file that a folder belongs to: the nearest one above it, within its
// module; else the one that a run makes in the module's root.
func Locate(dir string) (string, error) {
	for folder := dir; ; {
		if exists(filepath.Join(folder, FileName)) || exists(filepath.Join(folder, "go.mod")) {
			return filepath.Join(folder, FileName), nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", fmt.Errorf("%s is in no module: there is no go.mod above it", dir)
		}
		folder = parent
	}
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
