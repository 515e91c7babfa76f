package lock

import (
	"maps"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// The codes of what the lock has to say about the names of providers.
const (
	codeRenamedProvider   = "renamed-provider"
	codeDuplicateProvider = "duplicate-provider"
)

// Provider is a provider that calls in the database may be of.
type Provider struct {
	Package string   `json:"package"`
	Func    string   `json:"func"`
	Key     []string `json:"key"` // what makes one of its calls one
	Request string   `json:"request"`
	Receipt string   `json:"receipt"`
	Undo    bool     `json:"undo"` // the node NAME.undo is its own
}

// providers carries the names of providers over. The nodes come first.
func (s *step) providers() {
	for _, p := range s.run.Packages {
		for _, v := range p.Providers {
			s.provider(p.Path, v)
		}
	}
	for name, v := range s.old.Providers {
		if _, taken := s.Lock.Providers[name]; !taken && !s.run.Covers(v.Package) {
			s.Lock.Providers[name] = v
		}
	}
	s.undoNodes()
}

func (s *step) provider(importPath string, v model.Provider) {
	now := newProvider(importPath, v)
	if other, taken := s.Lock.Providers[v.Name]; taken {
		s.duplicateProvider(v.Pos, v.Name, other)
		return
	}
	s.Lock.Providers[v.Name] = now
	if old, found := s.old.Providers[v.Name]; found && old.Package != importPath && !s.run.Covers(old.Package) {
		s.duplicateProvider(v.Pos, v.Name, old)
	}
	if was := s.oldProvider(now); was != "" && was != v.Name && !s.renamed(was, v.Name) {
		s.diags.Add(v.Pos, codeRenamedProvider,
			"keep the name, or say that it may change: idem generate --rename "+was+"="+v.Name,
			"the provider of %s is %q in idem.lock and %q here: calls that steps in flight have made would be made again, under other keys",
			v.Selector(), was, v.Name)
	}
	s.renamesTo(v.Name, func(from string) bool { _, found := s.old.Providers[from]; return found })
}

func (s *step) duplicateProvider(pos diag.Position, name string, other Provider) {
	s.diags.Add(pos, codeDuplicateProvider, "give it another name; if it has moved, run idem generate ./... over both packages",
		"the provider %q is %s.%s", name, other.Package, other.Func)
}

// oldProvider is what the function's provider was called; empty when the lock does not know the function.
func (s *step) oldProvider(now Provider) string {
	for _, name := range slices.Sorted(maps.Keys(s.old.Providers)) {
		if old := s.old.Providers[name]; old.Package == now.Package && old.Func == now.Func {
			return name
		}
	}
	return ""
}

// undoNodes reports handlers that are called like a provider's own step, where one of both lies in a package that the
// run leaves alone. What lies within the run was compared before.
func (s *step) undoNodes() {
	for _, p := range s.run.Packages {
		for _, v := range p.Providers {
			node, found := s.Lock.Nodes[model.UndoNode(v.Name)]
			if found && v.Undo != nil && !s.run.Covers(node.Package) {
				s.diags.Add(v.Pos, codeDuplicateNode, "give one of them another name", "the undo of %s is the node %q, and so is %s.%s",
					v.Selector(), model.UndoNode(v.Name), node.Package, node.Func)
			}
		}
		for _, h := range p.Handlers {
			name, isUndo := strings.CutSuffix(h.Name, model.UndoNode(""))
			if v := s.Lock.Providers[name]; isUndo && v.Undo && !s.run.Covers(v.Package) {
				s.diags.Add(h.Pos, codeDuplicateNode, "give one of them another name", "the node %q is the undo of the provider %s.%s",
					h.Name, v.Package, v.Func)
			}
		}
	}
}

func newProvider(importPath string, v model.Provider) Provider {
	return Provider{
		Package: importPath, Func: v.Selector(), Key: []string{"run_id", "node", "provider", "item"},
		Request: typeName(v.Req), Receipt: typeName(v.Receipt), Undo: v.Undo != nil,
	}
}
