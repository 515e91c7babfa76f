package gen_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/output"
)

// newTexts is a module with providers, and a test of theirs.
func newTexts(t *testing.T) *module {
	t.Helper()
	m := newModule(t)
	archive, err := txtar.ParseFile("testdata/provider.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		m.write(f.Name, string(f.Data))
	}
	return m
}

// TestGeneratedProvidersCallOnce runs generated providers on a real worker, against an API that drops an answer.
func TestGeneratedProvidersCallOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Postgres, and compiles against it")
	}
	m := newTexts(t)
	m.generate(gen.Options{Tests: new(false)})
	m.run(t, "go", "vet", "./sms", "./smstest")
	m.test(t, "./smstest")
}

func TestProvidersDrift(t *testing.T) {
	m := newTexts(t)
	off := gen.Options{Tests: new(false)}
	m.wantDrift(off, map[string]output.State{"idem.lock": output.Created, "sms/idem_gen.go": output.Created})
	m.generate(off)
	m.wantDrift(gen.Options{}, nil)

	source := m.read("sms/sms.go")
	m.write("sms/sms.go", strings.Replace(source, "window=24h", "window=48h", 1))
	m.wantDrift(gen.Options{}, map[string]output.State{"idem.lock": output.Changed, "sms/idem_gen.go": output.Changed})

	m.write("sms/sms.go", strings.Replace(source, "provider send_sms", "provider text", 1))
	m.wantRefused(gen.Options{}, "renamed-provider")
	m.wantDrift(gen.Options{Renames: map[string]string{"send_sms": "text"}},
		map[string]output.State{"idem.lock": output.Changed, "sms/idem_gen.go": output.Changed})

	m.write("sms/sms.go", strings.ReplaceAll(source, "//idem:", "// "))
	m.wantDrift(gen.Options{}, map[string]output.State{"idem.lock": output.Changed, "sms/idem_gen.go": output.Orphaned})
}
