package golden_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-go/idem/runtime/pgtest"
)

// results are what a run of go test said, per test.
type results map[string]*result

type result struct {
	end    string // pass, fail or skip
	output string
}

// tried names the generated test of a handler, all of its faults, or those whose names begin with one of faults.
func tried(handler string, faults ...string) string {
	test := "^Test" + handler + "_Faults$"
	if len(faults) == 0 {
		return test
	}
	begin := make([]string, len(faults))
	for i, fault := range faults {
		begin[i] = regexp.QuoteMeta(fault)
	}
	return test + "/^(" + strings.Join(begin, "|") + ")"
}

// goTest runs generated tests of one package of the module mutants, those that [tried] has named.
func goTest(t *testing.T, pkg string, tests []string, flags ...string) results {
	t.Helper()
	run := strings.Join(tests, "|")
	// Faults mostly wait: for the database, for a timeout, for a process. What is only run needs neither vet nor symbols.
	args := append([]string{"test", "-json", "-count=1", "-vet=off", "-ldflags=-s -w", "-parallel=6", "-run", run}, flags...)
	cmd := exec.CommandContext(t.Context(), "go", append(args, pkg)...)
	cmd.Dir = "mutants"
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", pgtest.EnvURL+"="+server(t))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output() // fails where a test does
	found := parse(t, out)
	if len(found) == 0 {
		t.Fatalf("go test %s ran nothing: %v\n%s%s", pkg, err, stderr.String(), buildOutput(out))
	}
	return found
}

// server is the one on which all runs make their databases: it takes longer to start than most of them.
func server(t *testing.T) string {
	t.Helper()
	if url := os.Getenv(pgtest.EnvURL); url != "" {
		return url
	}
	s, err := pgtest.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.URL("postgres")
}

// buildOutput returns what the compiler said.
func buildOutput(out []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(out) {
		var event struct{ Action, Output string }
		if err := json.Unmarshal(line, &event); err == nil && event.Action == "build-output" {
			b.WriteString(event.Output)
		}
	}
	return b.String()
}

func parse(t *testing.T, out []byte) results {
	t.Helper()
	found := results{}
	for line := range bytes.Lines(out) {
		var event struct{ Action, Test, Output string }
		if err := json.Unmarshal(line, &event); err != nil || event.Test == "" {
			continue // what the build says
		}
		r := found[event.Test]
		if r == nil {
			r = &result{}
			found[event.Test] = r
		}
		switch event.Action {
		case "output":
			r.output += strings.TrimSpace(event.Output) + "\n"
		case "pass", "fail", "skip":
			r.end = event.Action
		}
	}
	return found
}

// handlers returns the tests themselves, with the number of their faults.
func (rs results) handlers() map[string]int {
	n := map[string]int{}
	for name := range rs {
		test, _, sub := strings.Cut(name, "/")
		if sub {
			n[test]++
		} else {
			n[test] += 0
		}
	}
	return n
}

// under returns the results of a test's faults whose names begin with fault; without one, the test's own.
func (rs results) under(test, fault string) results {
	if fault == "" {
		if r := rs[test]; r != nil {
			return results{test: r}
		}
		return nil
	}
	chosen, prefix := results{}, test+"/"+strings.ReplaceAll(fault, " ", "_")
	for name, r := range rs {
		if strings.HasPrefix(name, prefix) {
			chosen[name] = r
		}
	}
	return chosen
}

// caught checks that a test failed under a fault with a text.
func (rs results) caught(t *testing.T, test, fault, text string) {
	t.Helper()
	chosen := rs.under(test, fault)
	if len(chosen) == 0 {
		t.Errorf("%s has no fault %q; it %ss:\n%s", test, fault, rs.end(test), rs.outputs(test))
	}
	for _, r := range chosen {
		if r.end == "fail" && strings.Contains(r.output, text) {
			return
		}
	}
	t.Errorf("%s, %q: %q was not found, but:\n%s", test, fault, text, chosen.outputs(""))
}

func (rs results) end(test string) string {
	if r := rs[test]; r != nil {
		return r.end
	}
	return "not run"
}

// outputs joins what the tests said whose names begin with a prefix.
func (rs results) outputs(prefix string) string {
	var b strings.Builder
	for name, r := range rs {
		if strings.HasPrefix(name, prefix) {
			b.WriteString(r.output)
		}
	}
	return b.String()
}
