package faulttest

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/runtime/internal/wire"
)

func TestExchangesOfTheStep(t *testing.T) {
	claim, done := `UPDATE x SET state = 'running'`, `UPDATE x SET state = 'completed'`
	list := exchanges([]wire.Request{
		{Statements: []string{"SELECT schema_version()"}},
		{Prepares: []string{claim}},
		{Statements: []string{claim}},
		{Prepares: []string{"begin", `INSERT INTO "billing"."ledger" VALUES (1)`}},
		{Statements: []string{"begin", `INSERT INTO "billing"."ledger" VALUES (1)`, "  select 1", "with x as (select 1) select", "delete from a", "copy b from stdin"}},
		{Statements: []string{done, "commit"}},
		{Statements: []string{claim}},
	})
	var got []string
	for _, e := range list {
		got = append(got, e.String())
	}
	want := []string{
		"1, preparing the claim", "2, the claim", "3, preparing INSERT INTO billing.ledger",
		"4, INSERT INTO billing.ledger, SELECT, WITH, 2 more", "5, the completion",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !list[1].claims || list[0].claims || !list[4].completes {
		t.Errorf("%+v", list)
	}
}

func TestVariations(t *testing.T) {
	type input struct {
		Name  string
		Paid  bool
		Cents int64
		Part  *float64
		When  string
		ID    string
		Tags  []string
		More  map[string]int
	}
	part := 0.5
	s := &suite{subject: &subject{again: again[input]}}
	s.input = json.RawMessage(`{"Name":"n","Paid":true,"Cents":9007199254740993,"Part":0.5,"When":"2026-01-01T00:00:00Z","ID":"7b4e1a2c-0000-4000-8000-000000000000","Tags":["a"],"More":{"x":1}}`)
	got := map[string]input{}
	for _, v := range s.variations() {
		var in input
		if err := json.Unmarshal(v.input, &in); err != nil {
			t.Fatal(err)
		}
		got[v.suffix] = in
	}
	base := input{"n", true, 9007199254740993, &part, "2026-01-01T00:00:00Z", "7b4e1a2c-0000-4000-8000-000000000000", []string{"a"}, map[string]int{"x": 1}}
	with := func(f func(in *input)) input {
		in := base
		f(&in)
		return in
	}
	more := 1.5
	want := map[string]input{ // six of them
		", with another Cents":  with(func(in *input) { in.Cents++ }),
		", with another ID":     with(func(in *input) { in.ID = "7b4e1a2c-0000-4000-8000-000000000001" }),
		", with another More.x": with(func(in *input) { in.More = map[string]int{"x": 2} }),
		", with another Name":   with(func(in *input) { in.Name = "n 2" }),
		", with another Paid":   with(func(in *input) { in.Paid = false }),
		", with another Part":   with(func(in *input) { in.Part = &more }),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	s.other = json.RawMessage(`{"Name":"o"}`)
	if v := s.variations(); len(v) != 1 || string(v[0].input) != `{"Name":"o"}` || v[0].suffix != "" {
		t.Errorf("the author's other input gives %+v", v)
	}
	s.other, s.input = nil, json.RawMessage(`"alone"`)
	if v := s.variations(); len(v) != 0 {
		t.Errorf("an input without fields gives %+v", v)
	}
}

func TestOnlyThisTest(t *testing.T) {
	if got, want := only("TestA/with_a.dot/b"), `^TestA$/^with_a\.dot$/^b$`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
