package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuick runs every measurement once, with little to do: each of them fails by itself when effects and completions
// do not match.
func TestQuick(t *testing.T) {
	folder := t.TempDir()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-quick", "-out", folder}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text, err := os.ReadFile(filepath.Join(folder, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var written report
	if err := json.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	have := map[string]summary{}
	for _, s := range written.Measurements {
		have[s.Name] = s
	}
	for _, m := range measurements() {
		if have[m.name].Unit == "" {
			t.Errorf("%s is not in the results", m.name)
		}
		if m.base != "" && have[m.base].Name == "" {
			t.Errorf("%s is compared with %s, which is no measurement", m.name, m.base)
		}
	}
	for _, g := range goals() {
		if _, measured := g.reached(&written); !measured {
			t.Errorf("%q: nothing is known of %s and %v", g.about, g.of, g.to)
		}
	}
	wellFormed(t, filepath.Join(folder, "results.svg"))
}

func wellFormed(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		switch _, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			t.Fatalf("%s: %v", file, err)
		}
	}
}

func TestListAndBadFlags(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-list", "-run", "^latency/idem$"}, &out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 1 || !strings.HasPrefix(lines[0], "latency/idem ") {
		t.Errorf("listed: %q", lines)
	}
	for _, args := range [][]string{{"-run", "("}, {"-run", "no such thing"}, {"-reps", "0"}, {"-nonsense"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}

func TestRatiosAreOfOneRepetition(t *testing.T) {
	r := &report{Samples: []Sample{
		{Name: "a", Repetition: 1, Value: 10}, {Name: "b", Repetition: 1, Value: 5},
		{Name: "a", Repetition: 2, Value: 30}, {Name: "b", Repetition: 2, Value: 10},
		{Name: "a", Repetition: 3, Value: 7},
	}}
	if got := r.ratios("a", "b", value); len(got) != 2 || got[0] != 2 || got[1] != 3 {
		t.Errorf("got %v", got)
	}
}

func TestGoalsAreSetByTheBestOfTheOthers(t *testing.T) {
	r := &report{Samples: []Sample{
		{Name: "idem", Repetition: 1, Value: 12}, {Name: "slow", Repetition: 1, Value: 2}, {Name: "fast", Repetition: 1, Value: 6},
		{Name: "fast", Repetition: 2, Value: 6},
	}}
	g := goal{of: "idem", to: []string{"slow", "fast"}, figure: value}
	if got, measured := g.reached(r); !measured || got != 2 {
		t.Errorf("to the highest: %v", got)
	}
	g.atMost = true
	if got, measured := g.reached(r); !measured || got != 6 {
		t.Errorf("to the lowest: %v", got)
	}
	if _, measured := (goal{of: "idem", to: []string{"nobody"}, figure: value}).reached(r); measured {
		t.Error("a ratio to what was not measured")
	}
}
