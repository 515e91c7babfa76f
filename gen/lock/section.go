package lock

import (
	"encoding/json"
	"strings"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/schema"
)

// Section is the part of the lock with the durable names of one space.
type Section struct {
	Key    string      // in the file: "nodes"
	Space  model.Space // what one of the names is called: "node"
	Always bool        // it stands in the file also when there are no such names
	Harm   string      // what another name would do to what is in flight, for the diagnostic that refuses it
	// Read reads an entry of it; see [ReadEntry].
	Read func(data []byte) (Entry, error)
}

// Entry is what the lock keeps of a name: a struct of the kind's own, as it stands in the file.
type Entry interface {
	// Owner is the package and the function, or the like, that the name is of.
	Owner() (importPath, selector string)
	// Reserves are the names of other spaces that come with this one.
	Reserves(name string) []model.Claim
}

// Named is a declaration with a durable name.
type Named interface {
	model.Declaration
	// Entry is what the lock keeps of the declaration, which is of the package: in which section, and under which name.
	Entry(importPath string) (s *Section, name string, e Entry)
}

// ReadEntry reads an entry of type E.
func ReadEntry[E Entry](data []byte) (Entry, error) {
	var e E
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	return e, nil
}

// Format is what the lock holds of the kinds.
type Format struct {
	Sections []*Section
	Forms    schema.Forms
}

// Spaces names for people what there are durable names of.
func (f Format) Spaces() string {
	spaces := make([]string, len(f.Sections))
	for i, sec := range f.Sections {
		spaces[i] = string(sec.Space)
	}
	return strings.Join(spaces, ", ")
}
