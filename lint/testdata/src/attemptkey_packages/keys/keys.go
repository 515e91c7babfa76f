// Package keys knows no framework.
package keys

import "fmt"

// Of makes a key.
func Of(id string, n int) string { return fmt.Sprintf("pay/%s/%d", id, n) }
