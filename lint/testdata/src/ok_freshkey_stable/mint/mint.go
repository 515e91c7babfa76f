// Package mint makes keys.
package mint

import "github.com/google/uuid"

// Key makes a key.
func Key() string { return uuid.NewString() }
