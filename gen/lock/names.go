package lock

import (
	"maps"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// names carries the durable names of a section over.
func (s *step) names(sec *Section) {
	for _, p := range s.run.Packages {
		for _, d := range model.All[Named](p) {
			if of, name, e := d.Entry(p.Path); of == sec {
				s.name(sec, d, name, e)
			}
		}
	}
	for name, e := range s.old.Names[sec.Key] {
		if importPath, _ := e.Owner(); s.Lock.entry(sec, name) == nil && !s.run.Covers(importPath) {
			s.Lock.keep(sec, name, e)
		}
	}
}

func (s *step) name(sec *Section, d Named, name string, e Entry) {
	if other := s.Lock.entry(sec, name); other != nil {
		s.duplicate(sec, d.At(), name, other)
		return
	}
	s.Lock.keep(sec, name, e)
	importPath, _ := e.Owner()
	if old := s.old.entry(sec, name); old != nil {
		if was, _ := old.Owner(); was != importPath && !s.run.Covers(was) {
			s.duplicate(sec, d.At(), name, old)
		}
	}
	if was := s.oldName(sec, e); was != "" && was != name && !s.renamed(was, name) {
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

// oldName is what the owner's name was; empty when the lock does not know the owner.
func (s *step) oldName(sec *Section, e Entry) string {
	importPath, selector := e.Owner()
	for _, name := range slices.Sorted(maps.Keys(s.old.Names[sec.Key])) {
		if p, f := s.old.Names[sec.Key][name].Owner(); p == importPath && f == selector {
			return name
		}
	}
	return ""
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
	for _, p := range s.run.Packages {
		for _, d := range model.All[Named](p) {
			sec, name, e := d.Entry(p.Path)
			for _, c := range e.Reserves(name) {
				if importPath, selector, found := s.stranger(c); found {
					s.diags.Add(d.At(), duplicateCode(c.Space), fix, "the %s %s is the %s %q, and so is %s.%s",
						c.Owner, d.Selector(), c.Space, c.Name, importPath, selector)
				}
			}
			if owner, importPath, selector, found := s.reservedBy(sec.Space, name); found {
				s.diags.Add(d.At(), duplicateCode(sec.Space), fix, "the %s %q is the %s %s.%s", sec.Space, name, owner, importPath, selector)
			}
		}
	}
}

// stranger finds the owner of a name, if that is in a package that the run leaves alone.
func (s *step) stranger(c model.Claim) (importPath, selector string, found bool) {
	for _, sec := range s.format.Sections {
		if e := s.Lock.entry(sec, c.Name); sec.Space == c.Space && e != nil {
			importPath, selector = e.Owner()
			return importPath, selector, !s.run.Covers(importPath)
		}
	}
	return "", "", false
}

// reservedBy finds what reserves a name in a package that the run leaves alone.
func (s *step) reservedBy(space model.Space, name string) (owner, importPath, selector string, found bool) {
	for _, sec := range s.format.Sections {
		for _, of := range slices.Sorted(maps.Keys(s.Lock.Names[sec.Key])) {
			e := s.Lock.Names[sec.Key][of]
			importPath, selector := e.Owner()
			for _, c := range e.Reserves(of) {
				if c.Space == space && c.Name == name && !s.run.Covers(importPath) {
					return c.Owner, importPath, selector, true
				}
			}
		}
	}
	return "", "", "", false
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
