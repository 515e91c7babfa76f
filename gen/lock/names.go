package lock

import (
	"maps"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// names carries the durable names of a section over.
func (s *step) names(sec *Section) {
	owners := s.owners(sec)
	for _, p := range s.run.Packages {
		for _, d := range model.All[Named](p) {
			if of, name, e := d.Entry(p.Path); of == sec {
				s.name(sec, d, name, e, owners)
			}
		}
	}
	for name, e := range s.old.Names[sec.Key] {
		if importPath, _ := e.Owner(); s.Lock.entry(sec, name) == nil && !s.run.Covers(importPath) {
			s.Lock.keep(sec, name, e)
		}
	}
}

func (s *step) name(sec *Section, d Named, name string, e Entry, owners map[owner]string) {
	if other := s.Lock.entry(sec, name); other != nil {
		s.duplicate(sec, d.At(), name, other)
		return
	}
	s.Lock.keep(sec, name, e)
	now := ownerOf(e)
	if old := s.old.entry(sec, name); old != nil {
		if was, _ := old.Owner(); was != now.importPath && !s.run.Covers(was) {
			s.duplicate(sec, d.At(), name, old)
		}
	}
	if was := owners[now]; was != "" && was != name && !s.renamed(was, name) {
		s.diags.Add(d.At(), "renamed-"+string(sec.Space),
			"keep the name, or say that it may change: idem generate --rename "+was+"="+name,
			"the %s of %s is %q in idem.lock and %q here: %s", sec.Space, d.Selector(), was, name, sec.Harm)
	}
	s.renamesTo(name, func(from string) bool { return s.old.entry(sec, from) != nil })
}

func (s *step) duplicate(sec *Section, pos diag.Position, name string, other Entry) {
	importPath, selector := other.Owner()
	s.diags.Add(pos, duplicateCode(sec.Space), "give it another name; if it has moved, run idem generate ./... over both packages",
		"the %s %q is %s.%s", sec.Space, name, importPath, selector)
}

// owner is what a durable name is of.
type owner struct{ importPath, selector string }

func ownerOf(e Entry) owner {
	importPath, selector := e.Owner()
	return owner{importPath, selector}
}

// owners are the names in the old lock by what they are of, the first one of each.
func (s *step) owners(sec *Section) map[owner]string {
	names := map[owner]string{}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(s.old.Names[sec.Key]))) {
		names[ownerOf(s.old.Names[sec.Key][name])] = name
	}
	return names
}

// renamesTo marks a rename to the name as used when the lock knows the old name.
func (s *step) renamesTo(name string, known func(from string) bool) {
	for from, to := range s.run.Renames {
		if to == name && known(from) {
			s.Renamed = append(s.Renamed, from)
		}
	}
}

// reserved reports names that come with another name, and that something has as its own, where one of both lies in a
// package that the run leaves alone. What lies within the run was compared before.
func (s *step) reserved() {
	const fix = "give one of them another name"
	own, with := s.strangers()
	for _, p := range s.run.Packages {
		for _, d := range model.All[Named](p) {
			sec, name, e := d.Entry(p.Path)
			for _, c := range e.Reserves(name) {
				if of, found := own[place{c.Space, c.Name}]; found {
					s.diags.Add(d.At(), duplicateCode(c.Space), fix, "the %s %s is the %s %q, and so is %s.%s",
						c.Owner, d.Selector(), c.Space, c.Name, of.importPath, of.selector)
				}
			}
			if of, found := with[place{sec.Space, name}]; found {
				s.diags.Add(d.At(), duplicateCode(sec.Space), fix, "the %s %q is the %s %s.%s", sec.Space, name, of.role, of.importPath, of.selector)
			}
		}
	}
}

// place is a name in its space.
type place struct {
	space model.Space
	name  string
}

// reservation is what has a name that comes with its own.
type reservation struct {
	owner
	role string // what it has it for: "undo of the provider"
}

// strangers are the names in packages that the run leaves alone: their own, and those that come with them.
func (s *step) strangers() (own map[place]owner, with map[place]reservation) {
	own, with = map[place]owner{}, map[place]reservation{}
	for _, sec := range s.format.Sections {
		for name, e := range s.Lock.Names[sec.Key] {
			of := ownerOf(e)
			if s.run.Covers(of.importPath) {
				continue
			}
			own[place{sec.Space, name}] = of
			for _, c := range e.Reserves(name) {
				with[place{c.Space, c.Name}] = reservation{of, c.Owner}
			}
		}
	}
	return own, with
}

// entry returns what the lock keeps of a name; nil when it does not know it.
func (l *Lock) entry(sec *Section, name string) Entry { return l.Names[sec.Key][name] }

func (l *Lock) keep(sec *Section, name string, e Entry) {
	if l.Names[sec.Key] == nil {
		l.Names[sec.Key] = map[string]Entry{}
	}
	l.Names[sec.Key][name] = e
}

// duplicateCode is the code of what is wrong with a second name in a space.
func duplicateCode(space model.Space) string { return "duplicate-" + string(space) }
