package value

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// cents writes itself by methods of its pointer, as many types do.
type cents struct{ n int64 }

func (c *cents) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `"%d.%02d"`, c.n/100, c.n%100), nil
}

// slug writes itself as a text, by a method of its pointer.
type slug string

func (w *slug) MarshalText() ([]byte, error) { return []byte("<" + string(*w) + ">"), nil }

type invoice struct {
	Total cents
	Lines []cents
	By    map[string]*cents
	Note  slug
	Any   any
}

// What is marshalled is what encoding/json makes of the same value where it can be addressed, as it is in a struct that is
// passed by its pointer: also within structs, slices and arrays.
func TestMarshalCallsMethodsOnPointers(t *testing.T) {
	t.Parallel()
	w := slug("a")
	for _, v := range []any{
		cents{1234}, &cents{1234}, []cents{{1}, {2}}, [2]cents{{1}, {2}}, map[string]*cents{"a": {5}}, slug("a"), &w, []slug{"a"},
		invoice{Total: cents{5}, Lines: []cents{{7}}, By: map[string]*cents{"a": {1}}, Note: "n", Any: &cents{3}},
		struct{ cents }{cents{9}}, "plain", 5, true, nil, (*cents)(nil), []int{1}, map[string]int{"a": 1}, json.RawMessage(`{}`), time.Unix(0, 0).UTC(),
	} {
		got, err := Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		// An array of one is addressable through its pointer, whatever it is of.
		if string(got) != string(addressed(t, v)) {
			t.Errorf("%T: %s, want %s", v, got, addressed(t, v))
		}
	}
	if got, _ := Marshal(cents{1234}); string(got) != `"12.34"` {
		t.Errorf("an amount is %s", got)
	}
}

// addressed is what a type of its own makes of v.
func addressed(t *testing.T, v any) []byte {
	t.Helper()
	var data []byte
	var err error
	switch v := v.(type) {
	case cents:
		data, err = json.Marshal(&v)
	case []cents:
		data, err = json.Marshal(&v)
	case [2]cents:
		data, err = json.Marshal(&v)
	case slug:
		data, err = json.Marshal(&v)
	case invoice:
		data, err = json.Marshal(&v)
	case struct{ cents }:
		data, err = json.Marshal(&v)
	default:
		data, err = json.Marshal(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Another amount is another payload, also where only a method of its pointer tells it.
func TestDigestsSeeWhatPointersMarshal(t *testing.T) {
	t.Parallel()
	a, b := slug("a"), slug("b")
	for name, c := range map[string][2]any{
		"a value":          {cents{1}, cents{2}},
		"a pointer":        {&cents{1}, &cents{2}},
		"a slice":          {[]cents{{1}}, []cents{{2}}},
		"an array":         {[1]cents{{1}}, [1]cents{{2}}},
		"a map":            {map[string]*cents{"a": {1}}, map[string]*cents{"a": {2}}},
		"within a struct":  {invoice{Total: cents{1}}, invoice{Total: cents{2}}},
		"a text's pointer": {&a, &b},
	} {
		if digestOf(t, []string{"c"}, c[0]) == digestOf(t, []string{"c"}, c[1]) {
			t.Errorf("%s: two payloads have one digest", name)
		}
	}
}

// The same moment is the same payload, on a machine in any zone.
func TestDigestsDoNotDependOnAZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	there := at.In(time.FixedZone("there", 5*3600))
	for name, c := range map[string][2]any{
		"a time":     {at, there},
		"a pointer":  {&at, &there},
		"times":      {[]time.Time{at}, []time.Time{there}},
		"pointers":   {[]*time.Time{&at, nil}, []*time.Time{&there, nil}},
		"to a slice": {&[]time.Time{at}, &[]time.Time{there}},
	} {
		if digestOf(t, []string{"c"}, c[0]) != digestOf(t, []string{"c"}, c[1]) {
			t.Errorf("%s: one payload has two digests", name)
		}
	}
}

// sealed stores itself, and JSON sees nothing of it.
type sealed struct{ text string }

func (s sealed) Value() (driver.Value, error) { return "enc:" + s.text, nil }

// The elements of an array that store themselves are digested as they are stored.
func TestDigestsSeeWhatElementsStore(t *testing.T) {
	t.Parallel()
	digest := func(v any) string {
		sum, err := Digest([]string{"c"}, []any{v})
		if err != nil {
			t.Fatal(err)
		}
		return string(sum)
	}
	if digest([]sealed{{"a"}}) == digest([]sealed{{"b"}}) {
		t.Error("other values have the same digest")
	}
	if digest([]sealed{{"a"}}) != digest([]*sealed{{"a"}}) {
		t.Error("pointers to the same values have another digest")
	}
	if digest([]*sealed{nil, {"a"}}) == digest([]*sealed{{"a"}, nil}) {
		t.Error("NULL has no place")
	}
}
