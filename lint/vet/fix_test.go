package vet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idem-go/idem/lint/vet"
)

// TestFixRoundTrip applies the fixes of all cases. What comes out compiles, and reports nothing but what
// had no fix.
func TestFixRoundTrip(t *testing.T) {
	gopath := t.TempDir()
	src := filepath.Join(gopath, "src")
	if err := os.CopyFS(src, os.DirFS(filepath.Join("..", "testdata", "src"))); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"GOPATH": gopath, "GO111MODULE": "off", "GOPROXY": "off", "GOFLAGS": ""} {
		t.Setenv(name, value)
	}
	options := vet.Options{Dir: src, Patterns: caseFolders(t, src)}
	first := run(t, options)
	fixable := 0
	for _, f := range first.Findings {
		if f.Fix != "" {
			fixable++
		}
	}
	result := first
	for range 4 {
		files, err := result.Fix()
		if err != nil {
			t.Fatal(err)
		}
		result = run(t, options)
		if len(files) == 0 {
			break
		}
	}
	for _, f := range result.Findings {
		if f.Fix != "" {
			t.Errorf("still there: %s", relative(src, f))
		}
	}
	before, after := unfixable(src, first.Findings), unfixable(src, result.Findings)
	for _, f := range after {
		if !slices.Contains(before, f) {
			t.Errorf("new after the fixes: %s", f)
		}
	}
	t.Logf("%d findings, %d with a fix, %d left", len(first.Findings), fixable, len(after))
	for _, f := range result.Findings {
		t.Logf("left: %s", relative(src, f))
	}
}

func run(t *testing.T, o vet.Options) *vet.Result {
	t.Helper()
	result, err := vet.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Broken) > 0 {
		t.Fatalf("does not compile:\n%s", strings.Join(result.Broken, "\n"))
	}
	return result
}

// unfixable names the findings without a fix: lines move, so by folder, rule and message.
func unfixable(src string, findings []vet.Finding) []string {
	var list []string
	for _, f := range findings {
		if f.Fix == "" {
			dir, _ := filepath.Rel(src, filepath.Dir(f.Pos.File))
			list = append(list, fmt.Sprintf("%s: %s", dir, f.Message))
		}
	}
	return list
}

func relative(src string, f vet.Finding) string {
	name, _ := filepath.Rel(src, f.Pos.File)
	return fmt.Sprintf("%s:%d: %s", name, f.Pos.Line, f.Message)
}

// caseFolders are the folders of cases: those without a dot, which are the stubs.
func caseFolders(t *testing.T, src string) []string {
	t.Helper()
	entries, err := os.ReadDir(src)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.Contains(e.Name(), ".") {
			names = append(names, e.Name()+"/...")
		}
	}
	return names
}
