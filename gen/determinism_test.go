package gen_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen"
)

// TestDeterminism generates for all golden cases again: in another folder, with the files of each package
// under names that sort the other way round, on one processor and on many.
func TestDeterminism(t *testing.T) {
	want := generateAll(t, func(name string) string { return name })
	shuffled := func(name string) string {
		if filepath.Ext(name) != ".go" {
			return name
		}
		dir, base := filepath.Split(name)
		return dir + map[bool]string{true: "a_", false: "z_"}[base > "m"] + base
	}
	for _, processors := range []int{1, 8} {
		before := runtime.GOMAXPROCS(processors)
		got := generateAll(t, shuffled)
		runtime.GOMAXPROCS(before)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("on %d processors: -first +again:\n%s", processors, diff)
		}
	}
}

// generateAll gives what is generated for all cases, by path, when their files are called otherwise.
func generateAll(t *testing.T, rename func(string) string) map[string]string {
	t.Helper()
	m := newModule(t)
	for _, c := range readCases(t) {
		m.write(c.name+"/idem.lock", "")
		for _, f := range c.inputs() {
			m.write(c.name+"/"+rename(f.Name), string(f.Data))
		}
	}
	result, err := m.try(gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range result.Files {
		files[f.Rel] = string(f.Content)
	}
	return files
}
