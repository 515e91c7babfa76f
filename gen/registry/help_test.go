package registry_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/registry"
)

var all = registry.Kinds.Directives()

var update = flag.Bool("update", false, "rewrite the golden file")

func TestHelp(t *testing.T) {
	const golden = "testdata/help.golden"
	var got bytes.Buffer
	if err := all.Help(&got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the help differs (-want +got):\n%s", diff)
	}
}

func TestHelpOfOne(t *testing.T) {
	var got bytes.Buffer
	if err := (directive.Registry{all.Lookup("effect")}).Help(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(got.Bytes(), []byte("//idem:effect\n")) || bytes.Contains(got.Bytes(), []byte("//idem:action")) {
		t.Errorf("got:\n%s", &got)
	}
}

func TestRegistryIsComplete(t *testing.T) {
	for _, s := range all {
		if s.Doc == "" || s.Form == "" || len(s.On) == 0 {
			t.Errorf("//idem:%s is not fully described", s.Name)
		}
		for _, p := range s.Params {
			if p.Doc == "" || p.Default == "" || p.Kind == nil || p.Kind != directive.Flag && p.Kind.Code == "" {
				t.Errorf("%s of //idem:%s is not fully described", p.Name, s.Name)
			}
		}
	}
}
