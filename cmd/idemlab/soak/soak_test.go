package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/idem-go/idem/cmd/idemlab/fleet"
	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
)

// TestMain serves as the worker process too, as idemlab does.
func TestMain(m *testing.M) {
	if url := os.Getenv(WorkerEnv); url != "" {
		work := func(ctx context.Context) error { return Work(ctx, url, os.Stdout) }
		if err := fleet.Serve(context.Background(), work); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestSoakLandsFaultsAndLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("lets faults fall for 15 s")
	}
	file := filepath.Join(t.TempDir(), "report.json")
	var out bytes.Buffer
	report, err := Run(t.Context(), Options{Duration: 15 * time.Second, Workers: 3, Seed: 7, Rate: 600, Report: file}, &out, false)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if err := report.Write(&out); err != nil {
		t.Fatal(err)
	}
	if !report.OK {
		t.Errorf("an oracle did not hold:\n%s", out.String())
	}
	// The soak proves nothing if the faults hit nothing, or if there was nothing to lose.
	for _, f := range report.Faults {
		if f.Planned == 0 || f.Landed == 0 {
			t.Errorf("%d of %d faults of the kind %s landed:\n%s", f.Landed, f.Planned, f.Kind, out.String())
		}
	}
	if report.Steps.Reclaims == 0 || report.Steps.Repeated == 0 || report.Steps.Retried == 0 || report.Steps.Discarded == 0 {
		t.Errorf("nothing was interrupted: %+v", report.Steps)
	}
	if len(report.Effects) != 6 || report.Checks < 3 || report.LeaseChecks == 0 {
		t.Errorf("%d checks of %d effects, %d of the leases", report.Checks, len(report.Effects), report.LeaseChecks)
	}
	for _, e := range report.Effects {
		if e.Want == 0 || e.Want != e.Found || e.Lost+e.Duplicates > 0 {
			t.Errorf("effect %+v", e)
		}
	}
	saved := Report{}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &saved)
	}
	if err != nil || !saved.Finished || saved.Steps != report.Steps || len(saved.Schedule) != len(report.Schedule) {
		t.Errorf("the file has %+v, %v", saved, err)
	}
	for _, want := range []string{"Seed 7", "kill to second start", "0 duplicates, 0 lost"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
}

// TestSoakEndsWithItsContext: it leaves no process, no folder and no server, also when a worker is stopped.
func TestSoakEndsWithItsContext(t *testing.T) {
	if testing.Short() {
		t.Skip("lets faults fall for some seconds")
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started := make(chan struct{})
	var out signalWriter
	out.on, out.then = "steps", func() { close(started) }
	go func() {
		<-started
		time.Sleep(gapMax) // the schedule's first fault has begun
		cancel()
	}()
	report, err := Run(ctx, Options{Duration: time.Minute, Workers: 2, Seed: seedBeginningWith(t, FaultStop), Rate: 100}, &out, true)
	if err == nil || ctx.Err() == nil {
		t.Fatalf("it went on: %+v, %v", report, err)
	}
	left, err := filepath.Glob(filepath.Join(tmp, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// signalWriter calls then once it is written what on says.
type signalWriter struct {
	on   string
	then func()
	done bool
}

func (w *signalWriter) Write(p []byte) (int, error) {
	if !w.done && strings.Contains(string(p), w.on) && strings.Contains(string(p), "landed") {
		w.done = true
		w.then()
	}
	return len(p), nil
}

// TestReportTellsWhatIsWrong: a person must see which oracle, and an example.
func TestReportTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	r := newReport(Options{Duration: time.Minute, Workers: 3, Seed: 42})
	r.Effects = []Effect{{"payment", 10, 9, 2, 1}}
	r.Violations = []finding.Violation{{Oracle: "I2", Count: 3, Examples: []string{"payment of order-7 is lost"}}, {Oracle: "I12", Count: 1}}
	var out strings.Builder
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"I2 is violated, 3 times: a completed step has exactly its effects\n    payment of order-7 is lost\n",
		"I12 is violated", "2 duplicates, 1 lost: this must not happen", "seed 42",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	for _, o := range []string{"I1", "I2", "I3", "I4", "I8", "I9", "I11", "I12", "end"} {
		if saysOf(o) == "" {
			t.Errorf("%s says nothing", o)
		}
	}
}

func seedBeginningWith(t *testing.T, kind fault.Kind) uint64 {
	for seed := uint64(1); seed < 1000; seed++ {
		if s := schedule(seed, time.Minute, 2); s[0].Kind == kind {
			return seed
		}
	}
	t.Fatal("no schedule begins with " + kind)
	return 0
}
