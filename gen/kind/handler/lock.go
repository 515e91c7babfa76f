package handler

import (
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
)

// Nodes are the nodes that steps in the database may be waiting for.
var Nodes = &lock.Section{
	Key: "nodes", Space: model.Node, Always: true, Read: lock.ReadEntry[Node],
	Harm: "runs that wait under the old name would find no handler",
}

// Node is a handler that steps in the database may be waiting for.
type Node struct {
	Kind    string   `json:"kind"`
	Package string   `json:"package"`
	Func    string   `json:"func"`
	Key     []string `json:"key"` // what makes one of its effects one
	In      string   `json:"in"`
	Out     string   `json:"out,omitempty"`
}

// Owner is the handler.
func (n Node) Owner() (importPath, selector string) { return n.Package, n.Func }

// Reserves nothing.
func (n Node) Reserves(string) []model.Claim { return nil }

// Entry is the handler's node.
func (h Handler) Entry(importPath string) (*lock.Section, string, lock.Entry) {
	n := Node{
		Kind: string(h.Kind), Package: importPath, Func: h.Selector(),
		Key: []string{"run_id", "node"}, In: h.In.Display(),
	}
	if h.Out != nil {
		n.Out = h.Out.Display()
	}
	return Nodes, h.Name, n
}
