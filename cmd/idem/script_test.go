package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"

	"github.com/idem-go/idem/runtime/pgtest"
)

var update = flag.Bool("update", false, "rewrite the output that the scripts expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"idem": main})
}

// TestScripts runs the scripts in testdata/script. In them, idem is this package's main, and the modules
// of users stand on this checkout.
//
// Besides those of testscript there are the commands
//
//	exits STATUS COMMAND...   run the command, which must end with the status
//	module DIR PATH [tool]    make the go.mod of a user's module, with the tool directive if asked
//	database                  set DATABASE_URL to a new database
//	sql FILE                  run the file on it
func TestScripts(t *testing.T) {
	goEnv := readGoEnv(t)
	download(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, goEnv...)
			env.Values["tb"] = env.T()
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"module":   module,
			"database": newDatabase,
			"sql":      runSQL,
		},
	})
}

// readGoEnv keeps the caches, which the scripts' empty home would hide, and keeps the network out.
func readGoEnv(t *testing.T) []string {
	vars := []string{"GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOFLAGS=-buildvcs=false", "DATABASE_URL="}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		vars = append(vars, name+"="+strings.TrimSpace(string(value)))
	}
	return vars
}

// download fills the module cache with all that this module requires. A test has only what it is compiled from; the modules of
// the scripts require it all, and the go command looks into it where they are in a workspace.
func download(t *testing.T) {
	cmd := exec.Command("go", "mod", "download")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Logf("go mod download: %v\n%s", err, out) // the script that needs it will fail
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// module writes a go.mod that needs no go mod tidy: it requires all that this module does.
func module(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: module DIR PATH [tool]")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	ts.Check(err)
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	ts.Check(err)
	file, err := modfile.Parse("go.mod", data, nil)
	ts.Check(err)
	idem := file.Module.Mod.Path
	ts.Check(file.AddModuleStmt(args[1]))
	ts.Check(file.AddRequire(idem, "v0.0.0"))
	ts.Check(file.AddReplace(idem, "", root, ""))
	if len(args) > 2 {
		ts.Check(file.AddTool(idem + "/cmd/idem"))
	}
	text, err := file.Format()
	ts.Check(err)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o666))
	ts.Check(os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666))
}

func newDatabase(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("DATABASE_URL", pgtest.URL(ts.Value("tb").(pgtest.TB)))
}

func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql FILE")
	}
	conn, err := pgx.Connect(context.Background(), ts.Getenv("DATABASE_URL"))
	ts.Check(err)
	_, err = conn.Exec(context.Background(), ts.ReadFile(args[0]))
	ts.Check(errors.Join(err, conn.Close(context.Background())))
}
