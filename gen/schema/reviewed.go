package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Marker is the comment by which a migration of the team's own says that it makes the change from one
// table to the other, after a person has looked at it. It names this very change at this very time: the next
// one needs its own, and so does the same one after it was taken back.
func Marker(from, to Table) string {
	change := []any{
		from.Reviews, from.Schema, from.Name, from.Key, from.Columns,
		to.Schema, to.Name, to.Key, to.Columns,
	}
	if from.Form != nil || to.Form != nil {
		change = append(change, from.Form, to.Form) // markers of other tables stay as they are
	}
	data, err := json.Marshal(change)
	if err != nil {
		panic(err) // strings and flags always marshal
	}
	sum := sha256.Sum256(data)
	return fmt.Sprintf("/* idem:reviewed %s */", hex.EncodeToString(sum[:6]))
}
