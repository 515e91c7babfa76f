package gen_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen"
)

var update = flag.Bool("update", false, "rewrite what the golden files want")

// wantPrefix is before the names of the files that a run must make.
const wantPrefix = "want/"

// TestGolden generates for all cases in one run: each is a folder of one module, with an idem.lock of its
// own.
func TestGolden(t *testing.T) {
	cases := readCases(t)
	module := newModule(t)
	for _, c := range cases {
		module.addCase(c)
	}
	result := module.generate(gen.Options{})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.compare(t, module, result) })
	}
	t.Run("vet", func(t *testing.T) { module.run(t, "go", "vet", "./...") })
	t.Run("staticcheck", func(t *testing.T) { module.staticcheck(t) })
}

// goldenCase is one file of golden/emit.
type goldenCase struct {
	name, path string
	archive    *txtar.Archive
}

func readCases(t *testing.T) []goldenCase {
	t.Helper()
	paths, err := filepath.Glob("../golden/emit/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	cases := make([]goldenCase, len(paths))
	for i, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cases[i] = goldenCase{strings.TrimSuffix(filepath.Base(path), ".txtar"), path, archive}
	}
	return cases
}

// inputs are the files of the case that a run finds.
func (c goldenCase) inputs() []txtar.File {
	return slices.DeleteFunc(slices.Clone(c.archive.Files), func(f txtar.File) bool {
		return strings.HasPrefix(f.Name, wantPrefix)
	})
}

// compare sets the files of the run against those that the case wants; -update makes them wanted.
func (c goldenCase) compare(t *testing.T, m *module, result *gen.Result) {
	var got []txtar.File
	for _, f := range result.Files {
		if name, found := strings.CutPrefix(filepath.ToSlash(f.Rel), c.name+"/"); found {
			got = append(got, txtar.File{Name: wantPrefix + name, Data: f.Content})
		}
	}
	if *update {
		c.archive.Files = append(c.inputs(), got...)
		if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var want []txtar.File
	for _, f := range c.archive.Files {
		if strings.HasPrefix(f.Name, wantPrefix) {
			want = append(want, f)
		}
	}
	if diff := cmp.Diff(string(txtar.Format(&txtar.Archive{Files: want})), string(txtar.Format(&txtar.Archive{Files: got}))); diff != "" {
		t.Errorf("generated files differ (-want +got); -update takes them over:\n%s", diff)
	}
}
