package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// shop is a module with a helper in another package, and with tests, which nobody looks at.
const shop = `
-- go.mod --
module shop.test

go 1.26
-- keys/keys.go --
package keys

import "fmt"

func Of(order string, n int) string { return fmt.Sprintf("order/%s/%d", order, n) }

func Again(order string, retryCount int) string { return fmt.Sprintf("order/%s/%d", order, retryCount) }
-- bank/bank.go --
package bank

import "shop.test/keys"

type API interface{ Pay(idempotencyKey string) error }

func Pay(a API, order string) (err error) {
	for attempt := range 3 {
		if err = a.Pay(keys.Of(order, attempt)); err == nil {
			return nil
		}
	}
	return err
}
-- refund/refund.go --
package refund

import "shop.test/keys"

type API interface{ Refund(idempotencyKey string) error }

func Refund(a API, order string) error { return a.Refund(keys.Again(order, 1)) }
-- bank/bank_test.go --
package bank

import "testing"

var order = "o"

func TestPay(t *testing.T) {
	for attempt := range 3 {
		if err := fake.Pay(order + string(rune(attempt))); err == nil {
			return
		}
	}
}

var fake = API(nil)
`

func goVet(t *testing.T, dir, tool string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"vet", "-vettool=" + tool}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
	out, _ := cmd.CombinedOutput() // its status says that there are findings
	return string(out)
}

// TestGoVet runs the command as go vet does: what one package's helper does is known in the other.
func TestGoVet(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(shop)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tool := filepath.Join(t.TempDir(), "idemvet")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out := goVet(t, dir, tool, "./...")
	if want := "bank/bank.go:9:18: [attemptkey] the attempt number, the retry loop's counter attempt, is part of the key"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	if n := strings.Count(out, "["); n != 1 {
		t.Errorf("%d reports:\n%s", n, out)
	}
	if out := goVet(t, dir, tool, "-attemptkey=false", "./..."); strings.Contains(out, "[attemptkey]") {
		t.Errorf("a rule that is off reports:\n%s", out)
	}
	// The go command keeps what it learnt of a package apart by the flags.
	for _, flag := range []string{"-attemptkey.names=false", "-attemptkey.names", "-attemptkey.names=false"} {
		reports := strings.Contains(goVet(t, dir, tool, flag, "./..."), "refund/refund.go:7:")
		if reports != (flag == "-attemptkey.names") {
			t.Errorf("%s: the refund is reported: %t", flag, reports)
		}
	}
	if out := goVet(t, dir, tool, "-json", "./..."); !strings.Contains(out, `"attemptkey": [`) {
		t.Errorf("no JSON:\n%s", out)
	}
}
