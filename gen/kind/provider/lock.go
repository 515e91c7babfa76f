package provider

import (
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
)

// Calls are the providers that calls in the database may be of.
var Calls = &lock.Section{
	Key: "providers", Space: space, Read: lock.ReadEntry[Stored],
	Harm: "calls that steps in flight have made would be made again, under other keys",
}

// Stored is a provider that calls in the database may be of.
type Stored struct {
	Package string   `json:"package"`
	Func    string   `json:"func"`
	Key     []string `json:"key"` // what makes one of its calls one
	Request string   `json:"request"`
	Receipt string   `json:"receipt"`
	Undo    bool     `json:"undo"` // the node NAME.undo is its own
}

// Owner is the provider's function.
func (s Stored) Owner() (importPath, selector string) { return s.Package, s.Func }

// Reserves is the node that takes calls back.
func (s Stored) Reserves(name string) []model.Claim {
	if !s.Undo {
		return nil
	}
	return []model.Claim{undoClaim(name)}
}

// Entry is what the lock keeps of the provider.
func (p Provider) Entry(importPath string) (*lock.Section, string, lock.Entry) {
	return Calls, p.Name, Stored{
		Package: importPath, Func: p.Selector(), Key: []string{"run_id", "node", "provider", "item"},
		Request: p.Req.Display(), Receipt: p.Receipt.Display(), Undo: p.Undo != nil,
	}
}
