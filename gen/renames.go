package gen

import (
	"fmt"
	"maps"
	"slices"
)

// checkRenames refuses a rename that says nothing about any lock: a misspelt name would otherwise pass.
func checkRenames(renames map[string]string, used map[string]bool) error {
	for _, old := range slices.Sorted(maps.Keys(renames)) {
		if !used[old] {
			return fmt.Errorf("--rename %s=%s: idem.lock has no node or table %q that is called %q now",
				old, renames[old], old, renames[old])
		}
	}
	return nil
}
