package lock

import (
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// The codes of what the lock has to say about names.
const (
	codeRenamedNode    = "renamed-node"
	codeDuplicateNode  = "duplicate-node"
	codeRenamedTable   = "renamed-table"
	codeDuplicateTable = "duplicate-table"
)

// nodes carries the node names over.
func (s *step) nodes() {
	for _, p := range s.run.Packages {
		for _, h := range p.Handlers {
			s.node(p.Path, h)
		}
	}
	for name, n := range s.old.Nodes {
		if _, taken := s.Lock.Nodes[name]; !taken && !s.run.Covers(n.Package) {
			s.Lock.Nodes[name] = n
		}
	}
}

func (s *step) node(importPath string, h model.Handler) {
	n := newNode(importPath, h)
	if other, taken := s.Lock.Nodes[h.Name]; taken {
		s.duplicateNode(h.Pos, h.Name, other)
		return
	}
	s.Lock.Nodes[h.Name] = n
	if old, found := s.old.Nodes[h.Name]; found && old.Package != importPath && !s.run.Covers(old.Package) {
		s.duplicateNode(h.Pos, h.Name, old)
	}
	if was := s.oldName(n); was != "" && was != h.Name && !s.renamed(was, h.Name) {
		s.diags.Add(h.Pos, codeRenamedNode,
			"keep the name, or say that it may change: idem generate --rename "+was+"="+h.Name,
			"the node of %s is %q in idem.lock and %q here: runs that wait under the old name would find no handler",
			h.Selector(), was, h.Name)
	}
	s.renamesTo(h.Name, func(from string) bool { _, found := s.old.Nodes[from]; return found })
}

func (s *step) duplicateNode(pos diag.Position, name string, other Node) {
	s.diags.Add(pos, codeDuplicateNode, "give it another name; if it has moved, run idem generate ./... over both packages",
		"the node %q is %s.%s", name, other.Package, other.Func)
}

// oldName is what the function's node was called; empty when the lock does not know the function.
func (s *step) oldName(n Node) string {
	for _, name := range s.oldNodes {
		if old := s.old.Nodes[name]; old.Package == n.Package && old.Func == n.Func {
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

func newNode(importPath string, h model.Handler) Node {
	n := Node{
		Kind: string(h.Kind), Package: importPath, Func: h.Selector(),
		Key: []string{"run_id", "node"}, In: typeName(h.In),
	}
	if h.Out != nil {
		n.Out = typeName(*h.Out)
	}
	return n
}

// typeName writes a type of the model for people: example.com/money.Amount.
func typeName(t model.Type) string {
	return strings.NewReplacer("${", "", "}", "").Replace(t.Expr)
}
