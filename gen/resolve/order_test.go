package resolve_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/scan"
)

// TestOrderAndPlaceDoNotMatter resolves the golden cases in two folders, the second time with packages
// and files shuffled and with another number of processors.
func TestOrderAndPlaceDoNotMatter(t *testing.T) {
	for _, kind := range []string{"models", "diagnostics"} {
		t.Run(kind, func(t *testing.T) {
			cases := readCases(t, kind)
			want := outcome(t, writeModule(t, cases), func([]*scan.Package) {})
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
			dir := writeModule(t, cases)
			for seed := range uint64(3) {
				got := outcome(t, dir, func(found []*scan.Package) { shuffle(found, seed) })
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("seed %d (-in order +shuffled):\n%s", seed, diff)
				}
			}
		})
	}
}

// outcome resolves a module and gives all that came of it as JSON.
func outcome(t *testing.T, dir string, reorder func([]*scan.Package)) string {
	t.Helper()
	found, err := scan.Packages(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	reorder(found)
	resolution, err := resolveFound(dir, found, noCode)
	list, ok := errors.AsType[diag.List](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	var models []model.Package
	if resolution != nil {
		for _, p := range resolution.Packages {
			m := *p.Model
			m.Dir = ""
			models = append(models, m)
		}
	}
	text, err := json.MarshalIndent([]any{models, list}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func shuffle(found []*scan.Package, seed uint64) {
	r := rand.New(rand.NewPCG(seed, seed))
	r.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	for _, p := range found {
		r.Shuffle(len(p.Files), func(i, j int) { p.Files[i], p.Files[j] = p.Files[j], p.Files[i] })
	}
}
