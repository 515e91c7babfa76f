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

// runtimeRooms are the runtime's packages from the ground up. Each may import those of the lines before its own, and nothing
// beside it in its line.
var runtimeRooms = [][]string{
	{"internal/double", "internal/failure", "internal/lifecycle", "internal/pace", "internal/probe", "internal/retention", "internal/schedule", "internal/sign"},
	{"internal/listen", "internal/value"},
	{"internal/store"},
	{"internal/step"},
	{"internal/lease", "internal/maintenance", "idemimpl"},
	{"internal/claim", "internal/commit"},
	{"."},
	{"outbox", "provider"},
	{"outbox/httpsender", "provider/ledger"},
}

// TestRuntimeIsBuiltFromTheGroundUp: the execution of a step knows no worker, what decides knows no database, and generated code
// reaches the core without passing the worker.
func TestRuntimeIsBuiltFromTheGroundUp(t *testing.T) {
	t.Parallel()
	packages := list(t)
	floor := map[string]int{}
	for i, rooms := range runtimeRooms {
		for _, room := range rooms {
			floor[strings.TrimSuffix(idemModule+"/runtime/"+room, "/.")] = i
		}
	}
	for p, of := range floor {
		if _, there := packages[p]; !there {
			t.Errorf("there is no package %s", p)
		}
		for _, dep := range packages[p].Imports {
			if to, known := floor[dep]; known && to >= of {
				t.Errorf("%s imports %s, which does not lie below it", p, dep)
			}
		}
	}
	schedule := packages[idemModule+"/runtime/internal/schedule"]
	if !slices.Equal(schedule.Imports, []string{"time"}) {
		t.Errorf("the schedule imports %v; it is given what it needs to know", schedule.Imports)
	}
	for _, p := range packages {
		support := within(p.ImportPath, "runtime/faulttest") || within(p.ImportPath, "runtime/pgtest") ||
			within(p.ImportPath, "runtime/internal/wire") || within(p.ImportPath, "runtime/internal/explain")
		if _, known := floor[p.ImportPath]; within(p.ImportPath, "runtime") && !known && !support {
			t.Errorf("%s stands on no floor; say in runtimeRooms what it may import", p.ImportPath)
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
	allowed := []string{"github.com/jackc/", "golang.org/x/text/", "golang.org/x/sync/", idemModule + "/runtime", idemModule + "/internal/sqltoken"}
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

// TestTokenizerDependsOnNothing: the runtime, the generator and the linter share it, and none of them pays for another.
func TestTokenizerDependsOnNothing(t *testing.T) {
	t.Parallel()
	packages := list(t)
	tokenizer, ok := packages[idemModule+"/internal/sqltoken"]
	if !ok {
		t.Fatal("there is no tokenizer")
	}
	for _, dep := range tokenizer.Deps {
		if !packages[dep].Standard {
			t.Errorf("the tokenizer depends on %s", dep)
		}
	}
	for _, dir := range []string{"runtime", "gen", "lint"} {
		shares := false
		for path, p := range packages {
			shares = shares || within(path, dir) && slices.Contains(p.Imports, tokenizer.ImportPath)
		}
		if !shares {
			t.Errorf("nothing below %s uses the tokenizer", dir)
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

// TestCommandIsSmall: whoever generates code links neither a Postgres server to fetch, nor an example, nor test support.
// What needs them is idemlab, which the command builds when it is asked for.
func TestCommandIsSmall(t *testing.T) {
	t.Parallel()
	packages := list(t)
	heavy := func(path string) bool {
		return path == "testing" || strings.HasPrefix(path, "testing/") ||
			strings.HasPrefix(path, "github.com/fergusstrange/embedded-postgres") ||
			within(path, "examples") || within(path, "runtime/pgtest") || within(path, "runtime/faulttest")
	}
	for _, path := range []string{"/cmd/idem", "/cmd/idemvet"} {
		deps := packages[idemModule+path].Deps
		if len(deps) == 0 {
			t.Fatalf("no package %s", path)
		}
		for _, dep := range deps {
			if heavy(dep) {
				t.Errorf("%s depends on %s", path, dep)
			}
		}
	}
	for _, dep := range []string{"runtime/pgtest", "examples/payments/billing"} {
		if !slices.Contains(packages[idemModule+"/cmd/idemlab"].Deps, idemModule+"/"+dep) {
			t.Errorf("idemlab does not depend on %s: is it still what this test is about?", dep)
		}
	}
}
