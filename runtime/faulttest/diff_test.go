package faulttest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/runtime"
)

// shopSuite has two tables, of which the second refers to the first by a generated id.
func shopSuite() *suite {
	return &suite{
		subject: &subject{node: "bill"},
		catalog: &catalog{tables: []table{
			{name: "invoices", key: []string{"id"}, ids: []string{"id"}, volatile: []string{"id", "at"}},
			{name: "lines", key: []string{"sku"}},
		}},
		run: runtime.Run{ID: "key_1", Node: "bill"},
	}
}

// tables makes a snapshot of rows in JSON.
func tables(t *testing.T, rows map[string][]string) snapshot {
	t.Helper()
	s := snapshot{}
	for name, texts := range rows {
		for _, text := range texts {
			r, err := flatten(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			s[name] = append(s[name], r)
		}
	}
	return s
}

func TestDiff(t *testing.T) {
	free := map[string][]string{
		"invoices": {`{"id": 1001, "run_id": "key_1", "node": "bill", "payload_digest": "\\x00", "order_id": "o", "cents": 1, "at": "10:00"}`},
		"lines":    {`{"sku": "a", "invoice": 1001, "n": 2}`},
		outputs:    {`{"output": {"id": 1001}}`},
	}
	for name, test := range map[string]struct {
		got  map[string][]string
		want string
	}{
		"other ids and times": {map[string][]string{
			"invoices": {`{"id": 7, "run_id": "key_1", "node": "bill", "payload_digest": "\\x00", "order_id": "o", "cents": 1, "at": "11:00"}`},
			"lines":    {`{"sku": "a", "invoice": 7, "n": 2}`},
			outputs:    {`{"output": {"id": 7}}`},
		}, ``},
		"a reference to another row": {map[string][]string{
			"invoices": {`{"id": 7, "run_id": "key_1", "node": "bill", "payload_digest": "\\x00", "order_id": "o", "cents": 1, "at": "11:00"}`},
			"lines":    {`{"sku": "a", "invoice": 6, "n": 2}`},
			outputs:    {`{"output": {"id": 7}}`},
		}, `
table lines: other values than without the fault
  ~ {sku: "a"}: invoice is *, without the fault it is invoices.id#1`},
		"a second effect": {map[string][]string{
			"invoices": {
				`{"id": 7, "run_id": "key_1", "node": "bill", "payload_digest": "\\x00", "order_id": "o", "cents": 1, "at": "11:00"}`,
				`{"id": 8, "run_id": "key_1", "node": "bill", "payload_digest": "\\x00", "order_id": "o", "cents": 1, "at": "11:01"}`,
			},
			"lines": {`{"sku": "a", "invoice": 7, "n": 2}`, `{"sku": "b", "invoice": 8, "n": 2}`},
			outputs: {`{"output": {"id": 7}}`},
		}, `
table invoices: 1 row more than without the fault
  + {order_id: "o", cents: 1}   (the same row again under another key: a second effect)
table lines: 1 row more than without the fault
  + {sku: "b", n: 2}`},
		"a lost effect": {map[string][]string{
			"invoices": {},
			"lines":    {`{"sku": "a", "invoice": null, "n": 2}`},
		}, `
table invoices: 1 row fewer than without the fault
  - {order_id: "o", cents: 1}
table lines: other values than without the fault
  ~ {sku: "a"}: invoice is *, without the fault it is invoices.id#1
the step's output: 1 row fewer than without the fault
  - {output.id: 1001}`},
		"other values": {map[string][]string{
			"invoices": {`{"id": 7, "run_id": "key_1", "node": "bill", "payload_digest": "\\x00", "order_id": "o", "cents": 1, "at": "11:00"}`},
			"lines":    {`{"sku": "a", "invoice": 7, "n": 4}`},
			outputs:    {`{"output": {"id": 7}}`},
			followUps:  {`{"run_id": "sub_1", "node": "mail", "queue": "q", "state": "open", "input": {"to": ["<me>"], "none": {}}}`},
		}, `
table lines: other values than without the fault
  ~ {sku: "a"}: n is 4, without the fault it is 2
enqueued steps: 1 row more than without the fault
  + {node: "mail", state: "open", input.to[0]: "<me>", input.none: {}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := shopSuite()
			want, got := tables(t, free), tables(t, test.got)
			s.volatile = s.catalog.volatility(want, tables(t, map[string][]string{
				"invoices": {`{"id": 2002, "run_id": "key_1", "node": "bill", "payload_digest": "\\x00", "order_id": "o", "cents": 1, "at": "10:01"}`},
				"lines":    {`{"sku": "a", "invoice": 2002, "n": 2}`},
				outputs:    {`{"output": {"id": 2002}}`},
			}))
			if d := cmp.Diff(strings.TrimPrefix(test.want, "\n"), s.compare("without the fault").diff(want, got)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestDiffIsBounded(t *testing.T) {
	s := shopSuite()
	var rows []string
	for range 30 {
		rows = append(rows, `{"sku": "`+strings.Repeat("ü", 200)+`", "n": 1}`)
	}
	d := s.compare("before the step").diff(tables(t, nil), tables(t, map[string][]string{"lines": rows}))
	lines := strings.Split(d, "\n")
	if len(lines) != 12 || lines[0] != "table lines: 30 rows more than before the step" || lines[11] != "  and 20 more" {
		t.Errorf("%d lines: %s", len(lines), d)
	}
	if len([]rune(lines[1])) > 120 {
		t.Errorf("a line of %d characters: %s", len(lines[1]), lines[1])
	}
}

func TestFlatten(t *testing.T) {
	r, err := flatten(`{"b": 1.50, "a": {"x": [1, {"y": null}], "e": {}, "l": []}, "big": 9007199254740993, "text": "<a> {\"b\": 1}"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := row{{"b", "1.50"}, {"a.x[0]", "1"}, {"a.x[1].y", "null"}, {"a.e", "{}"}, {"a.l", "[]"}, {"big", "9007199254740993"}, {"text", `"<a> {\"b\": 1}"`}}
	if d := cmp.Diff(want, r, cmp.AllowUnexported(field{})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if _, err := flatten(`{"a": [1`); err == nil {
		t.Error("half of a row is read")
	}
}
