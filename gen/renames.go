package gen

import (
	"fmt"
	"maps"
	"slices"
)

// RenameError says that a rename is about nothing that idem.lock knows.
type RenameError struct{ Old, New string }

// Error names both.
func (e *RenameError) Error() string {
	return fmt.Sprintf("--rename %s=%s: idem.lock has no node, provider or table %q that is called %q now", e.Old, e.New, e.Old, e.New)
}

// checkRenames refuses a rename that says nothing about any lock: a misspelt name would otherwise pass.
func checkRenames(renames map[string]string, used map[string]bool) error {
	for _, old := range slices.Sorted(maps.Keys(renames)) {
		if !used[old] {
			return &RenameError{Old: old, New: renames[old]}
		}
	}
	return nil
}
