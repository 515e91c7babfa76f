package resolve_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen/diag"
)

var update = flag.Bool("update", false, "rewrite what the golden files want")

const goldenDir = "../../golden"

// goldenCase is one golden file: the Go files of a case and what they must lead to.
type goldenCase struct {
	name, path string
	archive    *txtar.Archive
}

// TestGoldenDiagnostics resolves all cases in one run: each is a folder of one module, with a lock file
// of its own, so that names are unique within a case and not among them.
func TestGoldenDiagnostics(t *testing.T) {
	cases := readCases(t, "diagnostics")
	dir := writeModule(t, cases)
	list := diagnosticsOf(t, dir, "./...")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := c.text(list)
			if got == "" {
				t.Fatal("no diagnostic")
			}
			c.compare(t, "want.txt", got)
		})
	}
	checkAllBelong(t, cases, list)
	checkCodes(t, list)
}

// TestGoldenModels compares the models of right sources, in JSON.
func TestGoldenModels(t *testing.T) {
	cases := readCases(t, "models")
	dir := writeModule(t, cases)
	resolution, err := resolvePackages(dir, nil, noCode)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.compare(t, "want.json", c.models(t, resolution)) })
	}
}

func diagnosticsOf(t *testing.T, dir string, patterns ...string) diag.List {
	t.Helper()
	_, err := resolvePackages(dir, patterns, noCode)
	list, ok := errors.AsType[diag.List](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	return list
}

func readCases(t *testing.T, kind string) []goldenCase {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(goldenDir, kind, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files of %s: %v", kind, err)
	}
	var cases []goldenCase
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, goldenCase{strings.TrimSuffix(filepath.Base(path), ".txtar"), path, archive})
	}
	return cases
}

// writeModule writes the cases as folders of one module.
func writeModule(t *testing.T, cases []goldenCase) string {
	t.Helper()
	dir := t.TempDir()
	module, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, module)
	for _, c := range cases {
		writeFiles(t, filepath.Join(dir, c.name), c.archive)
		writeFile(t, filepath.Join(dir, c.name, "idem.lock"), nil)
	}
	return dir
}

func writeFiles(t *testing.T, dir string, archive *txtar.Archive) {
	t.Helper()
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "want.") {
			writeFile(t, filepath.Join(dir, f.Name), f.Data)
		}
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// text writes the diagnostics of a case, relative to its folder, with their codes.
func (c goldenCase) text(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		file := filepath.ToSlash(d.Pos.File)
		if !strings.HasPrefix(file, c.name+"/") {
			continue
		}
		text := c.relative(filepath.ToSlash(d.Error()))
		fmt.Fprintf(&b, "%s [%s]\n", text, d.Code)
	}
	return b.String()
}

// relative takes the case's folder out of file names, and leaves import paths alone.
func (c goldenCase) relative(text string) string {
	return regexp.MustCompile(`(^|[ "])`+regexp.QuoteMeta(c.name)+"/").ReplaceAllString(text, "$1")
}

// codes are those of all diagnostics about source. They are stable: people and tools name them.
var codes = []string{
	"alias-effect", "ambiguous-body", "bad-column", "bad-command", "bad-conflict", "bad-count", "bad-default", "bad-duration", "bad-field", "bad-fields",
	"bad-fixture", "bad-function", "bad-identity", "bad-key", "bad-name", "bad-payload", "bad-queue", "bad-size",
	"bad-table", "bad-tag", "bad-type", "bad-update", "build-constraint", "detached-directive", "duplicate-column", "duplicate-node",
	"duplicate-provider", "duplicate-table", "embedded-pointer", "empty-value", "generic-effect", "generic-handler", "generic-provider", "generic-receiver",
	"hidden-type", "key-and-item", "misplaced-name", "missing-name", "missing-value", "mixed-packages", "name-collision", "near-miss",
	"no-column-type", "no-columns", "quoting", "repeated-argument", "reserved-column", "several-directives",
	"shadowed-name", "signature", "syntax", "test-file", "trailing-comment", "undefined-type", "unexpected-word",
	"unexported-field", "unknown-argument", "unknown-directive", "unknown-field", "unknown-function", "unsampled-input", "unsupported-argument",
	"unsupported-directive", "unusable-name", "wrong-target",
}

func checkCodes(t *testing.T, list diag.List) {
	t.Helper()
	seen := map[string]bool{}
	for _, d := range list {
		seen[d.Code] = true
	}
	if diff := cmp.Diff(codes, slices.Sorted(maps.Keys(seen))); diff != "" {
		t.Errorf("the golden files do not have each code (-want +got):\n%s", diff)
	}
}

func checkAllBelong(t *testing.T, cases []goldenCase, list diag.List) {
	t.Helper()
	for _, d := range list {
		folder, _, _ := strings.Cut(filepath.ToSlash(d.Pos.File), "/")
		if !slices.ContainsFunc(cases, func(c goldenCase) bool { return c.name == folder }) {
			t.Errorf("belongs to no case: %v", d)
		}
	}
}

// models writes the models of a case's packages, in JSON: a line for each package, handler, effect and
// column. What is empty is left out.
func (c goldenCase) models(t *testing.T, resolution *resolution) string {
	t.Helper()
	var b strings.Builder
	line := func(indent string, v any) {
		b.WriteString(indent + compactJSON(t, v) + "\n")
	}
	for _, p := range resolution.Packages {
		path, ok := strings.CutPrefix(p.Model.Path, "cases.test/"+c.name)
		if !ok || path != "" && path[0] != '/' {
			continue
		}
		m := *p.Model
		m.Dir, m.Declarations = "", nil
		line("", m)
		for _, d := range p.Model.Declarations {
			fields := fieldsOf(t, d)
			columns, _ := fields["Columns"].([]any)
			delete(fields, "Columns")
			line("  ", fields)
			for _, column := range columns {
				line("    ", column)
			}
		}
	}
	return b.String()
}

// compactJSON writes a value on one line, without positions and without what is empty.
func compactJSON(t *testing.T, v any) string {
	t.Helper()
	fields := fieldsOf(t, v)
	delete(fields, "Pos")
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(withoutEmpty(fields)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// fieldsOf returns the fields of a value in JSON.
func fieldsOf(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func withoutEmpty(fields map[string]any) map[string]any {
	for name, v := range fields {
		switch v := v.(type) {
		case map[string]any:
			withoutEmpty(v)
		case []any:
			for _, item := range v {
				if nested, ok := item.(map[string]any); ok {
					withoutEmpty(nested)
				}
			}
		}
		value := reflect.ValueOf(v)
		if !value.IsValid() || value.IsZero() || (value.Kind() == reflect.Map || value.Kind() == reflect.Slice) && value.Len() == 0 {
			delete(fields, name)
		}
	}
	return fields
}

// compare compares a result with the golden file's, or rewrites it.
func (c goldenCase) compare(t *testing.T, file, got string) {
	t.Helper()
	i := slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == file })
	if *update {
		if i < 0 {
			c.archive.Files = append(c.archive.Files, txtar.File{Name: file})
			i = len(c.archive.Files) - 1
		}
		c.archive.Files[i].Data = []byte(got)
		writeFile(t, c.path, txtar.Format(c.archive))
		return
	}
	if i < 0 {
		t.Fatalf("%s has no %s; run the test with -update", c.path, file)
	}
	if diff := cmp.Diff(string(c.archive.Files[i].Data), got); diff != "" {
		t.Errorf("%s differs (-want +got), run the test with -update if that is right:\n%s", c.path, diff)
	}
}
