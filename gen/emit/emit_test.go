package emit_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

var update = flag.Bool("update", false, "rewrite the expected files")

func TestGoSample(t *testing.T) {
	golden(t, "payments.go.golden", payments())
}

func TestGoEveryEncoding(t *testing.T) {
	golden(t, "orders.go.golden", wide())
}

func golden(t *testing.T, name string, p *model.Package) {
	t.Helper()
	got, err := emit.Go(p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("generated code differs (-want +got):\n%s", diff)
	}
}
