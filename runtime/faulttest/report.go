package faulttest

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/idem-go/idem/runtime"
)

// Row is what became of a step under one fault.
type Row struct {
	Fault      string   `json:"fault"`
	State      string   `json:"state"`
	Reason     string   `json:"reason,omitempty"`
	Attempt    int      `json:"attempt"`
	Reclaims   int      `json:"reclaims"`
	Executions int      `json:"executions"` // of the handler
	Effects    int      `json:"effects"`    // rows that are not as before the step
	Requests   int      `json:"requests"`   // that left for providers, and for receivers of commands
	Outside    int      `json:"outside"`    // what these have done
	Fired      bool     `json:"fired"`      // the fault happened
	Outcome    string   `json:"outcome"`
	Problems   []string `json:"problems,omitempty"`
}

// The ordinary outcomes of a fault.
const (
	outcomeSame    = "as without the fault"
	outcomeNothing = "nothing is left of it"
	outcomeOutside = "nothing is left of it but what was done outside"
	outcomeWrong   = "WRONG"
)

// Report is what became of one handler under all faults that were tried.
type Report struct {
	Package string        `json:"package"`
	Test    string        `json:"test"`
	Handler string        `json:"handler"`
	Fired   int           `json:"fired"` // faults that happened
	Wrong   int           `json:"wrong"` // faults under which something was not as it must be
	Took    time.Duration `json:"took_ns"`
	Rows    []Row         `json:"rows"`
}

// row sums the trial up.
func (tr *trial) row() Row {
	s := tr.last()
	r := Row{
		Fault: tr.fault.name, State: string(s.State), Reason: string(s.Reason), Attempt: s.Attempt, Reclaims: s.Reclaims,
		Executions: tr.executions(), Effects: tr.effects(),
		Requests: len(tr.ledger.Requests("")), Outside: tr.ledger.Effects(""), Fired: tr.hasFired(), Outcome: outcomeSame, Problems: tr.found(),
	}
	switch {
	case len(r.Problems) > 0:
		r.Outcome = outcomeWrong
	case tr.outcome != "":
		r.Outcome = tr.outcome
	case tr.fault.outcome != "":
		r.Outcome = tr.fault.outcome
	case s.State.Ended() && s.State != runtime.StateCompleted && r.Outside > 0:
		r.Outcome = outcomeOutside
	case s.State.Ended() && s.State != runtime.StateCompleted:
		r.Outcome = outcomeNothing
	}
	return r
}

// effects counts the rows that are not as before the step.
func (tr *trial) effects() (n int) {
	if tr.initial == nil {
		return 0
	}
	before, after := tr.catalog.normalise(tr.initial, tr.volatile), tr.catalog.normalise(tr.snapshot(), tr.volatile)
	for name, rows := range after {
		if name != outputs {
			n += len(subtract(rows, before[name]))
		}
	}
	return n
}

// reporter collects the rows of one handler while its subtests run.
type reporter struct {
	t     *testing.T
	began time.Time
	order map[string]int // of the faults

	mu     sync.Mutex
	report Report
}

func newReporter(t *testing.T, s *subject) *reporter {
	r := &reporter{t: t, began: time.Now(), order: map[string]int{}, report: Report{Package: testedPackage(), Test: t.Name(), Handler: s.node}}
	t.Cleanup(r.finish)
	return r
}

// testedPackage is the import path of the package whose tests these are.
func testedPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return strings.TrimSuffix(info.Path, ".test")
}

func (r *reporter) expect(faults []*fault) {
	for i, f := range faults {
		r.order[f.name] = i + 1
	}
}

func (r *reporter) add(row Row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Rows = append(r.report.Rows, row)
	if row.Fired {
		r.report.Fired++
	}
	if len(row.Problems) > 0 {
		r.report.Wrong++
	}
}

// blame adds problems to the row of the run without a fault.
func (r *reporter) blame(problems []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if free := &r.report.Rows[0]; len(problems) > 0 {
		free.Problems, free.Outcome = append(free.Problems, problems...), outcomeWrong
		r.report.Wrong++
	}
}

// finish shows the table, and adds it to the file that -idem.report names.
func (r *reporter) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Took = time.Since(r.began)
	slices.SortStableFunc(r.report.Rows, func(a, b Row) int { return cmp.Compare(r.order[a.Fault], r.order[b.Fault]) })
	r.t.Logf("%s: %d faults, %d wrong, in %v\n%s", r.report.Handler, r.report.Fired, r.report.Wrong, r.report.Took.Round(time.Millisecond), r.report.text())
	if *reportFile != "" {
		if err := record(*reportFile, r.report); err != nil {
			r.t.Errorf("the report of -idem.report: %v", err)
		}
	}
}

// columns are the headings of the table. Those about what is outside are left out where nothing leaves the database.
func (r *Report) columns() []string {
	if r.reachesOut() {
		return []string{"fault", "step", "attempt", "reclaims", "executions", "effects", "requests", "outside", "outcome"}
	}
	return []string{"fault", "step", "attempt", "reclaims", "executions", "effects", "outcome"}
}

func (r *Report) reachesOut() bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Requests > 0 })
}

// cells are a row's, in the order of the columns.
func (r *Report) cells(row Row) []string {
	cells := row.cells()
	if !r.reachesOut() {
		return cells
	}
	last := len(cells) - 1
	return append(cells[:last:last], fmt.Sprint(row.Requests), fmt.Sprint(row.Outside), cells[last])
}

func (r Row) cells() []string {
	state := r.State
	if r.Reason != "" && r.Reason != r.State {
		state += " (" + r.Reason + ")"
	}
	return []string{r.Fault, state, fmt.Sprint(r.Attempt), fmt.Sprint(r.Reclaims), fmt.Sprint(r.Executions), fmt.Sprint(r.Effects), r.Outcome}
}

// text is the table for a terminal.
func (r *Report) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.ToUpper(strings.Join(r.columns(), "\t")))
	for _, row := range r.Rows {
		_, _ = fmt.Fprintln(w, strings.Join(r.cells(row), "\t"))
	}
	_ = w.Flush()
	return b.String()
}
