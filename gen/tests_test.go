package gen_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/output"
)

const methodSource = `package svc

import "github.com/idem-go/idem/runtime"

type Service struct{}

//idem:action serve
func (s *Service) Serve(ctx runtime.Context, in string) error { return nil }
`

func TestTestsCanBeSwitchedOff(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.wantDrift(gen.Options{Tests: new(false)}, map[string]output.State{
		"idem.lock": output.Changed, "ledger/idem_gen_test.go": output.Orphaned, "shop/idem_gen_test.go": output.Orphaned,
	})
	m.generate(gen.Options{Tests: new(false)})
	if lock := m.read("idem.lock"); !strings.Contains(lock, `"tests": false`) {
		t.Errorf("the lock does not remember it:\n%s", lock)
	}
	m.wantDrift(gen.Options{}, nil)
	m.wantDrift(gen.Options{Tests: new(true)}, map[string]output.State{
		"idem.lock": output.Changed, "ledger/idem_gen_test.go": output.Created, "shop/idem_gen_test.go": output.Created,
	})
}

// TestSwitchedOffTestsAskForNothing: without tests neither fixtures nor samples are needed.
func TestSwitchedOffTestsAskForNothing(t *testing.T) {
	m := newModule(t)
	m.write("svc/svc.go", strings.NewReplacer("in string", "in Code", "type Service struct{}", `type Service struct{}

type Code struct{ c string }

func (c Code) MarshalText() ([]byte, error) { return nil, nil }

func (c *Code) UnmarshalText([]byte) error { return nil }
`, "(s *Service) ", "").Replace(methodSource))
	m.write("svc/svc_test.go", "package svc\n\nfunc TestServe_Faults() {}\n")
	m.wantRefused(gen.Options{}, "unsampled-input")
	if result := m.generate(gen.Options{Tests: new(false)}); len(result.Notes) > 0 {
		t.Errorf("notes %q", result.Notes)
	}
	m.write("svc/idem.lock", "{\"tests\": false}")
	m.generate(gen.Options{})
}

func TestMethodWithoutFixtureIsNoted(t *testing.T) {
	m := newModule(t)
	m.write("svc/svc.go", methodSource)
	result := m.generate(gen.Options{})
	want := "svc/svc.go:7:1: no test for Service.Serve: write func serviceServeFixture(f *faulttest.F) *Service, or one that gives" +
		" the input as well, in a test file, and name it with fixture=serviceServeFixture"
	if len(result.Notes) != 1 || filepath.ToSlash(result.Notes[0]) != want {
		t.Errorf("notes %q", result.Notes)
	}
	m.wantDrift(gen.Options{}, nil)

	m.write("svc/svc.go", strings.Replace(methodSource, "serve\n", "serve fixture=serviceServeFixture\n", 1))
	m.write("svc/fixture_test.go", "package svc\n\nimport \"github.com/idem-go/idem/runtime/faulttest\"\n\n"+
		"func serviceServeFixture(f *faulttest.F) *Service { return &Service{} }\n")
	result = m.wantDrift(gen.Options{}, map[string]output.State{"idem.lock": output.Changed, "svc/idem_gen_test.go": output.Created})
	if len(result.Notes) > 0 {
		t.Errorf("notes %q", result.Notes)
	}
}

func TestRemovedHandlersRemoveTheirTests(t *testing.T) {
	m := newShop(t)
	m.generate(gen.Options{})
	m.write("ledger/ledger.go", strings.Replace(ledgerSource, "//idem:action book\n", "", 1))
	m.wantDrift(gen.Options{}, map[string]output.State{
		"idem.lock": output.Changed, "ledger/idem_gen.go": output.Changed, "ledger/idem_gen_test.go": output.Orphaned,
	})
}

func TestTestsFindTheMigrations(t *testing.T) {
	m := newShop(t)
	m.write("plain/plain.go", strings.NewReplacer("package svc", "package plain", "(s *Service) ", "").Replace(methodSource))
	m.write("plain/idem.lock", "") // of its own, without tables
	m.generate(gen.Options{Migrations: "db/sql"})
	if got := m.read("ledger/idem_gen_test.go"); !strings.Contains(got, `Migrations: "../db/sql",`) {
		t.Errorf("got\n%s", got)
	}
	m = newShop(t)
	m.write("plain/plain.go", strings.NewReplacer("package svc", "package plain", "(s *Service) ", "").Replace(methodSource))
	m.write("plain/idem.lock", "")
	m.generate(gen.Options{})
	if got := m.read("plain/idem_gen_test.go"); strings.Contains(got, "Migrations") {
		t.Errorf("there are no migrations:\n%s", got)
	}
}

func TestForeignTestFileIsLeftAlone(t *testing.T) {
	m := newShop(t)
	m.write("ledger/idem_gen_test.go", "package ledger\n\nimport \"testing\"\n\nfunc TestByHand(*testing.T) {}\n")
	m.wantRefused(gen.Options{}, "foreign-file")
}
