package gen

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/idem-go/idem/gen/lock"
)

// divide sorts the packages by the locks that they belong to, and finds the locks that the patterns reach
// although no package there bears directives any more.
func (t *task) divide(sources []*source) ([]*part, error) {
	parts := map[string]*part{}
	at := func(lockPath string) *part {
		if parts[lockPath] == nil {
			p := &part{lockPath: lockPath, module: moduleOf(filepath.Dir(lockPath))}
			p.lock, p.lockErr = t.readLock(lockPath)
			parts[lockPath] = p
		}
		return parts[lockPath]
	}
	for _, src := range sources {
		lockPath, err := lock.Locate(src.model.Dir)
		if err != nil {
			return nil, err
		}
		p := at(lockPath)
		p.sources = append(p.sources, src)
	}
	reached, err := reachedLocks(t.dir, t.scope)
	if err != nil {
		return nil, err
	}
	for _, lockPath := range reached {
		at(lockPath)
	}
	ordered := make([]*part, 0, len(parts))
	for _, lockPath := range slices.Sorted(maps.Keys(parts)) {
		ordered = append(ordered, parts[lockPath])
	}
	return ordered, nil
}

// reachedLocks are the lock files that exist above, in and below the folders that the patterns name.
func reachedLocks(dir string, s scope) ([]string, error) {
	var reached []string
	for _, p := range s {
		folder := p.folder(moduleOf(dir))
		above, err := lock.Locate(folder)
		if err != nil {
			continue // no module, no lock
		}
		if _, err := os.Stat(above); err == nil {
			reached = append(reached, above)
		}
		if !p.wild {
			continue
		}
		below, err := locksBelow(folder)
		if err != nil {
			return nil, err
		}
		reached = append(reached, below...)
	}
	return reached, nil
}

// locksBelow finds the lock files of the module in a folder and below it.
func locksBelow(dir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if entry.Name() == lock.FileName {
				found = append(found, name)
			}
		case name != dir && (isPassedOver(entry.Name()) || entry.Name() == "node_modules" || isModule(name)):
			return filepath.SkipDir
		}
		return nil
	})
	if os.IsNotExist(err) {
		return nil, nil
	}
	return found, err
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
