package reminder

import (
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
)

var reminders = &lock.Section{
	Key: "reminders", Space: space, Read: lock.ReadEntry[entry],
	Harm: "those who were told of the old one would never look again",
}

type entry struct {
	Package string `json:"package"`
	Struct  string `json:"struct"`
}

func (e entry) Owner() (importPath, selector string) { return e.Package, e.Struct }
func (e entry) Reserves(name string) []model.Claim   { return nil }

// Entry is what idem.lock keeps of the reminder.
func (r Reminder) Entry(importPath string) (*lock.Section, string, lock.Entry) {
	return reminders, r.Name, entry{importPath, r.Type}
}
