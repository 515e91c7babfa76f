package gen_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/output"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/gen/testdata/kind/reminder"
)

// reminders are all kinds and one more: the line that a new directive changes.
var reminders = append(append(kind.Kinds{}, registry.Kinds...), reminder.Kind)

const reminderSource = `package visits

import "github.com/idem-go/idem/runtime"

// Visit is looked at a day later.
//
//idem:reminder visit after=24h
type Visit struct{ Who string }

type In struct{ Who string }

//idem:action book
func Book(ctx runtime.Context, in In) error { return nil }
`

// newVisits is a module with a reminder, and what runs the generator there.
func newVisits(t *testing.T) (*module, func(o gen.Options) (*gen.Result, error)) {
	m := newModule(t)
	m.write("visits/visits.go", reminderSource)
	return m, func(o gen.Options) (*gen.Result, error) {
		o.Dir = m.dir
		return gen.RunWith(context.Background(), o, reminders)
	}
}

// writeAll runs the generator, and writes what it made.
func writeAll(t *testing.T, run func(gen.Options) (*gen.Result, error)) {
	t.Helper()
	result, err := run(gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Write(); err != nil {
		t.Fatal(err)
	}
}

// TestNewKind takes a directive that nothing in the generator knows through all stages, by its folder and its place in
// the list of kinds alone.
func TestNewKind(t *testing.T) {
	m, run := newVisits(t)
	if _, err := m.try(gen.Options{}); !saysCode(err, "unknown-directive") {
		t.Fatalf("without its kind the directive is not known: %v", err)
	}
	writeAll(t, run)
	for name, texts := range map[string][]string{
		"visits/idem_gen.go":                        {`"net/url"`, "const VisitAfter = 24 * time.Hour", `var VisitURL = url.URL{Path: "visit"}`, "BookAction"},
		"visits/idem_gen_test.go":                   {"func TestVisitURL(t *testing.T)", "TestBook_Faults"},
		"idem.lock":                                 {"\"reminders\": {\n    \"visit\": {\n      \"package\": \"cases.test/visits\",", "\"reminder\": {\n        \"days\": 1\n      }", `"visit_reminders"`},
		"migrations/00001_idem_visit_reminders.sql": {`CREATE TABLE "visit_reminders"`, `"who" text NOT NULL`, `CREATE INDEX "visit_reminders_due_idx"`},
	} {
		got := m.read(name)
		for _, text := range texts {
			if !strings.Contains(got, text) {
				t.Errorf("%s does not say %q:\n%s", name, text, got)
			}
		}
	}
	again, err := run(gen.Options{})
	if err != nil || len(again.Drift()) > 0 {
		t.Errorf("a second run: %v, %v", err, again)
	}
}

// TestNewKindIsJudged: the rules about directives, names, tables and code hold for it as for all others.
func TestNewKindIsJudged(t *testing.T) {
	m, run := newVisits(t)
	writeAll(t, run)
	for code, source := range map[string]string{
		"unknown-argument":   strings.Replace(reminderSource, "after=24h", "afetr=24h", 1),
		"name-collision":     reminderSource + "\nvar VisitURL = 1\n",
		"duplicate-reminder": reminderSource + "\n//idem:reminder visit\ntype Other struct{ Who string }\n",
		"duplicate-table":    reminderSource + "\n//idem:effect table=visit_reminders\ntype Other struct{ Who string }\n",
		"renamed-reminder":   strings.Replace(reminderSource, "reminder visit", "reminder stay", 1),
		"not-additive":       strings.Replace(reminderSource, "after=24h", "after=48h", 1),
	} {
		m.write("visits/visits.go", source)
		if _, err := run(gen.Options{}); !saysCode(err, code) {
			t.Errorf("want %s, got %v", code, err)
		}
	}
	m.write("visits/visits.go", strings.Replace(reminderSource, "reminder visit", "reminder stay", 1))
	renamed, err := run(gen.Options{Renames: map[string]string{"visit": "stay"}})
	if err != nil || len(renamed.Drift()) == 0 {
		t.Errorf("the name cannot be given up: %v", err)
	}
}

// TestEmitErrorsEndTheRun: what cannot be written is an error of its own, and nothing is planned.
func TestEmitErrorsEndTheRun(t *testing.T) {
	m, run := newVisits(t)
	m.write("visits/visits.go", strings.Replace(reminderSource, "reminder visit", "reminder broken", 1))
	result, err := run(gen.Options{})
	if result != nil || err == nil || !strings.Contains(err.Error(), "package cases.test/visits: the reminder is broken") {
		t.Errorf("got %v, %v", result, err)
	}
}

// TestRemovedKind: what a kind had made goes with its last directive, as everything does.
func TestRemovedKind(t *testing.T) {
	m, run := newVisits(t)
	writeAll(t, run)
	m.write("visits/visits.go", "package visits\n")
	last, err := run(gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]output.State{}
	for _, f := range last.Drift() {
		states[f.Rel] = f.State
	}
	if states["visits/idem_gen.go"] != output.Orphaned || states["visits/idem_gen_test.go"] != output.Orphaned || states["idem.lock"] != output.Changed {
		t.Errorf("got %v", states)
	}
}

// saysCode reports whether an error is one diagnostic of the code.
func saysCode(err error, code string) bool {
	list, ok := errors.AsType[diag.List](err)
	return ok && len(list) == 1 && list[0].Code == code
}
