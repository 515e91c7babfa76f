package gen

import (
	"fmt"
	"maps"
	"slices"
)

// RenameError says that a rename is about nothing that idem.lock knows.
type RenameError struct {
	Old, New string
	Known    string // what idem.lock knows names of: "node, provider"
}

// Error names both.
func (e *RenameError) Error() string {
	return fmt.Sprintf("--rename %s=%s: idem.lock has no %s or table %q that is called %q now", e.Old, e.New, e.Known, e.Old, e.New)
}

// checkRenames refuses a rename that says nothing about any lock: a misspelt name would otherwise pass.
func (t *task) checkRenames(used map[string]bool) error {
	renames := t.options.Renames
	for _, old := range slices.Sorted(maps.Keys(renames)) {
		if !used[old] {
			return &RenameError{Old: old, New: renames[old], Known: t.format.Spaces()}
		}
	}
	return nil
}
