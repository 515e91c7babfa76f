package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the measurements start this program again, as they start themselves.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == bareVerb {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestQuick runs every program once, on little: each must succeed, and the table must have it.
func TestQuick(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-rounds=1", "-packages=2", "-handlers=2", "-peers=false", "-keep", dir}, &out); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{oneLoad, editedLoad, allLoad, "nothing changed", "nothing generated yet", "idem after an edit"} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("the table has no row for %q:\n%s", row, out.String())
		}
	}
	for _, name := range []string{"part00", "part01"} {
		if _, err := os.Stat(filepath.Join(dir, "input", name, "idem_gen.go")); err != nil {
			t.Error(err)
		}
	}
}

func TestFailuresAreShown(t *testing.T) {
	if _, err := measure(t.Context(), t.TempDir(), "go", "list", "./nowhere"); err == nil || !strings.Contains(err.Error(), "go list ./nowhere") {
		t.Errorf("got %v", err)
	}
}

func TestRatioIsOfEachRound(t *testing.T) {
	costs, base := []cost{{wall: 10}, {wall: 300}, {wall: 30}}, []cost{{wall: 10}, {wall: 100}, {wall: 15}}
	if got := ratio(costs, base, wall); got != "2.00" {
		t.Errorf("got %s", got)
	}
}
