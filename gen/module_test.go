package gen_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/runtime/pgtest"
)

// module is a module of its own, in a temporary folder, that needs what this repository needs.
type module struct {
	t   testing.TB
	dir string
}

func newModule(t testing.TB) *module {
	t.Helper()
	t.Setenv("GOFLAGS", "-mod=mod") // the requirements below may ask for others
	t.Setenv("GOWORK", "off")
	m := &module{t: t, dir: folder(t)}
	if real, err := filepath.EvalSymlinks(m.dir); err == nil {
		m.dir = real
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	goMod := readFile(t, "../go.mod")
	_, rest, _ := bytes.Cut(goMod, []byte("\n"))
	m.write("go.mod", "module cases.test\n"+string(rest)+`
require (
	github.com/idem-go/idem v0.0.0
	github.com/shopspring/decimal v1.0.0
)

replace (
	github.com/idem-go/idem => `+root+`
	github.com/shopspring/decimal => ./stubs/decimal
)
`)
	m.write("go.sum", string(readFile(t, "../go.sum")))
	archive, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		m.write(f.Name, string(f.Data))
	}
	return m
}

func (m *module) addCase(c goldenCase) {
	m.write(c.name+"/idem.lock", "")
	for _, f := range c.inputs() {
		m.write(c.name+"/"+f.Name, string(f.Data))
	}
}

func (m *module) write(name, content string) {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

func (m *module) read(name string) string {
	m.t.Helper()
	return string(readFile(m.t, filepath.Join(m.dir, filepath.FromSlash(name))))
}

// try runs the generator in the module.
func (m *module) try(o gen.Options) (*gen.Result, error) {
	o.Dir = m.dir
	return gen.Run(context.Background(), o)
}

// generate runs the generator, which must succeed, and writes the files.
func (m *module) generate(o gen.Options) *gen.Result {
	m.t.Helper()
	result, err := m.try(o)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := result.Write(); err != nil {
		m.t.Fatal(err)
	}
	return result
}

// run runs a command in the module; it must succeed and have nothing to say.
func (m *module) run(t *testing.T, command string, args ...string) {
	t.Helper()
	cmd := m.command(command, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil || len(out) > 0 {
		t.Errorf("%s %s: %v\n%s%s", command, strings.Join(args, " "), err, out, stderr.Bytes())
	}
}

// staticcheck checks generated code as if it were written by hand. Names and uses are the author's.
func (m *module) staticcheck(t *testing.T) {
	const tool = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
	if testing.Short() {
		t.Skip("building staticcheck takes a while")
	}
	if out, err := m.command("go", "run", tool, "-version").CombinedOutput(); err != nil {
		t.Skipf("no staticcheck here: %v\n%s", err, out)
	}
	m.stripHeaders(t)
	m.run(t, "go", "run", tool, "-checks", "inherit,-U1000,-ST1003", "./...")
}

// test runs the module's own tests, on the server of this process: each package would start one. They are only run, and need
// neither vet nor symbols.
func (m *module) test(t *testing.T, patterns ...string) {
	t.Helper()
	cmd := m.command("go", append([]string{"test", "-vet=off", "-ldflags=-s -w"}, patterns...)...)
	if os.Getenv(pgtest.EnvURL) == "" {
		s, err := pgtest.Shared(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(os.Environ(), pgtest.EnvURL+"="+s.URL("postgres"))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
}

func (m *module) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = m.dir
	return cmd
}

// stripHeaders takes the mark of generated code away, for tools that spare such code.
func (m *module) stripHeaders(t *testing.T) {
	t.Helper()
	generated, err := filepath.Glob(filepath.Join(m.dir, "*", "idem_gen*.go"))
	if err != nil || len(generated) == 0 {
		t.Fatalf("no generated files: %v", err)
	}
	for _, path := range generated {
		_, rest, _ := bytes.Cut(readFile(t, path), []byte("\n"))
		if err := os.WriteFile(path, rest, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
