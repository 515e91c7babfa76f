package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/idem-go/idem/cmd/idemlab/fleet"
	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
)

// TestMain serves as the processes of the soak too, as idemlab does.
func TestMain(m *testing.M) {
	if work := Process(os.Getenv, os.Stdout); work != nil {
		if err := fleet.Serve(context.Background(), work); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestSoakLandsFaultsAndDoublesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("lets faults fall for 12 s")
	}
	file := filepath.Join(t.TempDir(), "report.json")
	var out bytes.Buffer
	report, err := Run(t.Context(), Options{Duration: 12 * time.Second, Commands: 1498, Relays: 3, Workers: 2, Seed: 7, Report: file}, &out, false)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if err := report.Write(&out); err != nil {
		t.Fatal(err)
	}
	if !report.OK {
		t.Errorf("an oracle did not hold:\n%s", out.String())
	}
	// The soak proves nothing if the faults hit nothing, on either side.
	for _, f := range report.Faults {
		if f.Planned == 0 || f.Landed == 0 {
			t.Errorf("%d of %d faults of the kind %s landed:\n%s", f.Landed, f.Planned, f.Kind, out.String())
		}
	}
	if c := report.Commands; c.Queued != 1500 || c.Delivered != 1500 || c.Lost != 0 || c.Doubled != 0 {
		t.Errorf("%+v", c)
	}
	r, a := report.Requests, report.Attempts
	if r.Effects != 1500 || r.Duplicates == 0 || r.LostAnswer == 0 || r.ToldToWait == 0 || r.Seen != r.Effects+r.Duplicates+r.InProgress+r.ToldToWait {
		t.Errorf("%+v", r)
	}
	if a.LostMarks == 0 || a.Failed == 0 || a.Recorded != a.Answered+a.Failed+a.LostMarks || a.Unseen != a.Recorded-r.Seen || a.Unseen < 0 {
		t.Errorf("%+v", a)
	}
	if g := report.Groups; g.Commits == 0 || g.Steps < 2*g.Commits {
		t.Errorf("no commands were written together: %+v", g)
	}
	if report.Checks < 3 || report.OldestAge.Elsewhere == 0 {
		t.Errorf("%d checks, the oldest was unsent for %v", report.Checks, report.OldestAge)
	}
	saved := Report{}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &saved)
	}
	if err != nil || !saved.Finished || saved.Requests != report.Requests || len(saved.Schedule) != len(report.Schedule) {
		t.Errorf("the file has %s, %v", data, err)
	}
	for _, want := range []string{"Seed 7: 1,500 commands", "duplicate requests", "0 lost, 0 effects doubled"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
}

// TestSoakEndsWithItsContext: it leaves no process, no folder and no server, also when a relay is stopped.
func TestSoakEndsWithItsContext(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server and some processes")
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &signalWriter{on: "1 faults landed", then: cancel}
	report, err := Run(ctx, Options{Duration: time.Minute, Commands: 5000, Relays: 2, Workers: 1, Seed: seedBeginningWith(t, FaultKill, FaultStop)}, out, true)
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
}

func (w *signalWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.on) {
		w.then()
	}
	return len(p), nil
}

func seedBeginningWith(t *testing.T, kinds ...fault.Kind) uint64 {
	for seed := uint64(1); seed < 1000; seed++ {
		s := schedule(Options{Seed: seed, Duration: time.Minute, Relays: 2, Workers: 1})
		if slices.EqualFunc(s[:len(kinds)], kinds, func(f fault.Fault, k fault.Kind) bool { return f.Kind == k }) {
			return seed
		}
	}
	t.Fatalf("no schedule begins with %v", kinds)
	return 0
}

func TestScheduleFollowsFromTheSeed(t *testing.T) {
	t.Parallel()
	o := Options{Seed: 7, Duration: 10 * time.Minute, Relays: 3, Workers: 2}
	a := schedule(o)
	if !slices.Equal(a, schedule(o)) {
		t.Error("one seed gives two schedules")
	}
	o.Seed++
	if slices.Equal(a, schedule(o)) {
		t.Error("two seeds give one schedule")
	}
	if first := fault.Planned(a[:len(mix)]); len(first) != len(mix) {
		t.Errorf("it begins with %v, which is not one of each kind", first)
	}
	for _, f := range a {
		limit := map[bool]int{true: o.Workers, false: o.Relays}[f.Kind == FaultWorker]
		if f.Victim < 0 || f.Victim >= limit || f.Kind == FaultStop && f.Lasts() <= relayLease || (f.Way != "") != (f.Kind == FaultCut) {
			t.Errorf("%v", f)
		}
	}
}

// TestReportTellsWhatIsWrong: a person must see which oracle, and an example.
func TestReportTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	r := newReport(Options{Duration: time.Minute, Commands: 10, Relays: 1, Workers: 1, Seed: 42})
	r.Commands.Lost = 1
	r.Violations = []finding.Violation{{Oracle: "O4", Count: 3, Examples: []string{"7-1 is delivered and had no effect"}}}
	var out strings.Builder
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"O4 is violated, 3 times: a command has its effect once, at the latest when it is delivered\n    7-1 is delivered and had no effect\n",
		"1 lost, 0 effects doubled: this must not happen", "seed 42",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}
