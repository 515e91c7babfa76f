package faulttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

// plantedEnv makes TestPlanted a test of a handler that writes through the pool.
const plantedEnv = "IDEM_FAULTTEST_PLANTED"

func TestPlanted(t *testing.T) {
	if os.Getenv(plantedEnv) == "" {
		t.Skip("it fails on purpose; TestWhatAPersonSees runs it")
	}
	Action(t, runtime.NewAction[order]("planted"), Handler[order]{
		Migrations: folder,
		Fixture: func(f *F) (func(runtime.Context, order) error, order) {
			return func(ctx runtime.Context, in order) error { return planted(ctx, f.Pool, in) }, sample
		},
	})
}

func planted(ctx runtime.Context, pool *pgxpool.Pool, in order) error {
	_, err := pool.Exec(ctx, insertJournal, in.OrderID, in.Cents)
	return err
}

// TestWhatAPersonSees runs the test of a handler with a mistake as go test does, and reads what that prints and reports.
func TestWhatAPersonSees(t *testing.T) {
	file := filepath.Join(t.TempDir(), "faults")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPlanted$", "-test.v", "-idem.report="+file)
	cmd.Env = append(os.Environ(), plantedEnv+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ends with %v, want exit status 1", err)
	}
	for _, want := range []string{
		"--- FAIL: TestPlanted/an_error_after_the_write",
		"--- PASS: TestPlanted/request_lost:_1,_preparing_the_claim",
		"the step completed, and the database is not as without the fault\n        table journal: 1 row more than without the fault\n" +
			"          + {order_id: \"o-1\", amount_cents: 100}   (the same row again: a second effect)",
		"FAULT  ", "EXECUTIONS  EFFECTS  OUTCOME",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
	var reports []Report
	data, err := os.ReadFile(file + ".json")
	if err == nil {
		err = json.Unmarshal(data, &reports)
	}
	if err != nil || len(reports) != 1 {
		t.Fatalf("the report: %v, %s", err, data)
	}
	r := reports[0]
	if r.Package != "github.com/idem-go/idem/runtime/faulttest" || r.Test != "TestPlanted" || r.Handler != "planted" ||
		r.Wrong < 10 || r.Fired < 30 || len(r.Rows) != r.Fired+1 || r.Rows[0].Fault != "none" || r.Took <= 0 {
		t.Errorf("the report is of %s, %s, %s: %d fired, %d wrong, %d rows", r.Package, r.Test, r.Handler, r.Fired, r.Wrong, len(r.Rows))
	}
	for _, row := range r.Rows {
		if row.Fault == "an error after the write" && (row.Attempt != 2 || row.Executions != 2 || row.Effects != 2 || row.Outcome != outcomeWrong || len(row.Problems) != 2) {
			t.Errorf("the row is %+v", row)
		}
	}
	text, err := os.ReadFile(file + ".md")
	if want := "| an error after the write | completed | 2 | 0 | 2 | 2 | WRONG |"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v; the Markdown has no %q:\n%s", err, want, text)
	}
	if left, _ := filepath.Glob(file + ".*"); len(left) != 2 {
		t.Errorf("files: %v", left)
	}
}

// TestColumnsAboutWhatIsOutside: they are there for handlers that reach out, and for no others.
func TestColumnsAboutWhatIsOutside(t *testing.T) {
	r := Report{Rows: []Row{{Fault: "none", State: "completed", Effects: 7, Requests: 8, Outside: 9, Outcome: outcomeSame}, {Fault: "a"}}}
	const heads = "EFFECTS  REQUESTS  OUTSIDE  OUTCOME"
	if text := r.text(); !strings.Contains(text, heads) || !strings.Contains(text, "7        8         9        as without the fault") {
		t.Errorf("the table is\n%s", text)
	}
	if text := markdown([]Report{r}); !strings.Contains(text, "| 7 | 8 | 9 | as without the fault |") {
		t.Errorf("the Markdown is\n%s", text)
	}
	r.Rows[0].Requests = 0
	if text := r.text(); strings.Contains(text, "REQUESTS") {
		t.Errorf("nothing leaves the database, and the table is\n%s", text)
	}
}

// TestRecordsOfManyProcesses: reports of other tests stay, an older one of the same test goes.
func TestRecordsOfManyProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "all")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for try := range 3 {
				if err := record(file, Report{Package: "p", Test: fmt.Sprint("Test", i), Handler: "a|b", Fired: try, Rows: []Row{{Fault: "x|y"}}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	all, err := readReports(file + ".json")
	if err != nil || len(all) != 8 {
		t.Fatalf("%d reports, %v", len(all), err)
	}
	for i, r := range all {
		if r.Test != fmt.Sprint("Test", i) || r.Fired != 2 {
			t.Errorf("report %d is %+v", i, r)
		}
	}
	if err := os.WriteFile(file+".json", []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := record(file, Report{}); err == nil || !strings.Contains(err.Error(), "is not a report") {
		t.Errorf("a file of somebody else's: %v", err)
	}
	if text, _ := os.ReadFile(file + ".json"); string(text) != "no JSON" {
		t.Error("it was overwritten")
	}
}
