package schema

import (
	"encoding/json"

	"github.com/idem-go/idem/gen/object"
)

// stored is a table in idem.lock, in two parts: the form stands between them, under its kind.
type stored struct {
	storedHead
	storedTail
}

type storedHead struct {
	Schema  string   `json:"schema,omitempty"`
	Name    string   `json:"table"`
	Package string   `json:"package"`
	Struct  string   `json:"struct"`
	Key     []string `json:"key"`
	Columns []Column `json:"columns"`
}

type storedTail struct {
	Retired bool `json:"retired,omitempty"`
	Reviews int  `json:"reviews,omitempty"`
}

// MarshalJSON writes the table for idem.lock.
func (t Table) MarshalJSON() ([]byte, error) {
	form := map[string]Form{}
	if t.Form != nil {
		form[t.Form.Kind()] = t.Form
	}
	return object.Join(storedHead{t.Schema, t.Name, t.Package, t.Struct, t.Key, t.Columns}, form, storedTail{t.Retired, t.Reviews})
}

// ReadTable reads a table of idem.lock, with its form where it has one.
func ReadTable(data []byte, forms Forms) (Table, error) {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return Table{}, err
	}
	t := Table{
		Schema: s.Schema, Name: s.Name, Package: s.Package, Struct: s.Struct, Key: s.Key, Columns: s.Columns,
		Retired: s.Retired, Reviews: s.Reviews,
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return Table{}, err
	}
	for kind, read := range forms {
		raw, found := fields[kind]
		if !found {
			continue
		}
		form, err := read(raw)
		if err != nil {
			return Table{}, err
		}
		t.Form = form
	}
	return t, nil
}
