// Package idem_test states how the parts of the module may depend on each other.
package idem_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const idemModule = "github.com/idem-go/idem"

// listed is what `go list` says of a package.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string // direct
	Deps       []string // all
}

func list(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	packages := map[string]listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

// within reports whether path is one of the module's packages at or below dir.
func within(path, dir string) bool {
	return path == idemModule+"/"+dir || strings.HasPrefix(path, idemModule+"/"+dir+"/")
}

// TestDependenciesPointOneWay: cmd -> gen, runtime; the stages of gen -> model; generated code -> runtime -> pgx.
func TestDependenciesPointOneWay(t *testing.T) {
	t.Parallel()
	packages := list(t)
	// What a package at or below a folder must not depend on, directly or through others.
	for _, rule := range []struct {
		from, to, why string
	}{
		{"runtime", "gen", "the runtime knows nothing of the generator"},
		{"runtime", "cmd", "the runtime is a library"},
		{"runtime", "migrations", "a worker needs no migration library"},
		{"gen", "runtime", "the generator writes calls of the runtime, it makes none"},
		{"gen", "migrations", "the generator does not touch a database"},
		{"gen", "cmd", "the generator writes no output itself"},
		{"gen/model", "gen/load", "the model is what the stages agree on"},
		{"gen/model", "gen/resolve", "the model is what the stages agree on"},
		{"gen/model", "gen/emit", "the model is what the stages agree on"},
		{"gen/emit", "gen/resolve", "emitters see the model alone"},
		{"gen/emit", "gen/load", "emitters see the model alone"},
		{"gen/schema", "gen/resolve", "emitters see the model alone"},
		{"gen/emit", "gen/directive", "emitters see the model alone"},
		{"gen/schema", "gen/load", "emitters see the model alone"},
		{"gen/lock", "gen/resolve", "what is remembered is of the model"},
		{"gen/lock", "gen/emit", "what is remembered does not depend on how it is written"},
		{"gen/resolve", "gen/emit", "what is read does not depend on what is written"},
		{"gen/resolve", "gen/lock", "what is read does not depend on what was remembered"},
		{"gen/resolve", "gen/schema", "what is read does not depend on what is written"},
		{"gen/directive", "gen/model", "a directive is known before there is a model"},
		{"gen/load", "gen/resolve", "the stages come one after the other"},
		{"migrations", "gen", "the tables do not depend on the generator"},
	} {
		if rule.from == rule.to {
			continue
		}
		for path, p := range packages {
			if !within(path, rule.from) || within(path, "runtime/faulttest") && rule.to == "migrations" {
				continue // tests bring their databases up by themselves
			}
			for _, dep := range p.Deps {
				if within(dep, rule.to) {
					t.Errorf("%s depends on %s: %s", path, dep, rule.why)
				}
			}
		}
	}
}

// TestStagesKnowNoKind: what is special about a directive stands in the folder of its kind, and one list names the kinds.
func TestStagesKnowNoKind(t *testing.T) {
	t.Parallel()
	for path, p := range list(t) {
		for _, dep := range p.Imports {
			kind, found := strings.CutPrefix(dep, idemModule+"/gen/kind/")
			if !found || within(path, "gen/registry") || within(path, "cmd/idem") {
				continue
			}
			if within(path, "gen/kind") {
				t.Errorf("%s imports the kind %s: kinds do not know each other", path, kind)
			} else if within(path, "gen") || within(path, "lint") {
				t.Errorf("%s imports the kind %s: only gen/registry names the kinds", path, kind)
			}
		}
	}
}

// TestOnlyItsOwnStageKnowsATool: past the model nobody knows Go's syntax trees, and only the emitter knows jennifer.
func TestOnlyItsOwnStageKnowsATool(t *testing.T) {
	t.Parallel()
	for path, p := range list(t) {
		if !within(path, "gen") {
			continue
		}
		for _, dir := range []string{"gen/model", "gen/emit", "gen/schema", "gen/lock", "gen/output"} {
			if within(path, dir) && slices.Contains(p.Imports, "go/ast") {
				t.Errorf("%s imports go/ast; what it needs of it belongs into the model", path)
			}
			// The emitter asks go/types for the predeclared names, and for nothing else.
			if within(path, dir) && dir != "gen/emit" && slices.Contains(p.Imports, "go/types") {
				t.Errorf("%s imports go/types; what it needs of it belongs into the model", path)
			}
		}
		if slices.Contains(p.Imports, "github.com/dave/jennifer/jen") && !within(path, "gen/emit") && !within(path, "gen/kind") {
			t.Errorf("%s imports jennifer; only gen/emit and the kinds' emit files write Go code", path)
		}
	}
}

// TestRuntimeDependsOnPgxAlone: whoever uses generated code gets the standard library, pgx and what pgx needs.
func TestRuntimeDependsOnPgxAlone(t *testing.T) {
	t.Parallel()
	packages := list(t)
	allowed := []string{"github.com/jackc/", "golang.org/x/text/", "golang.org/x/sync/", idemModule + "/runtime"}
	for _, path := range []string{"/runtime", "/runtime/outbox", "/runtime/outbox/httpsender", "/runtime/provider"} {
		for _, dep := range packages[idemModule+path].Deps {
			if packages[dep].Standard {
				continue
			}
			if !slices.ContainsFunc(allowed, func(prefix string) bool { return strings.HasPrefix(dep, prefix) }) {
				t.Errorf("%s depends on %s", path, dep)
			}
		}
	}
}

// TestProbesAreTestSupport: a hook that injects faults can be set from tests of the runtime only.
func TestProbesAreTestSupport(t *testing.T) {
	t.Parallel()
	for path, p := range list(t) {
		if slices.Contains(p.Imports, idemModule+"/runtime/internal/probe") && !within(path, "runtime") {
			t.Errorf("%s imports the probes", path)
		}
	}
}

// TestFaultTestsAreTestSupport: the failure-injection harness imports the package testing and defines a flag.
func TestFaultTestsAreTestSupport(t *testing.T) {
	t.Parallel()
	for path, p := range list(t) {
		if slices.Contains(p.Imports, idemModule+"/runtime/faulttest") {
			t.Errorf("%s imports the fault tests; only tests may", path)
		}
	}
}
