package faulttest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// Row is what became of a step under one fault.
type Row struct {
	Fault      string        `json:"fault"`
	State      string        `json:"state"`
	Reason     string        `json:"reason,omitempty"`
	Attempt    int           `json:"attempt"`
	Reclaims   int           `json:"reclaims"`
	Executions int           `json:"executions"` // of the handler
	Effects    int           `json:"effects"`    // rows that are new or changed
	Fired      bool          `json:"fired"`
	Problems   []string      `json:"problems,omitempty"`
	Took       time.Duration `json:"-"`
}

// Report is the table of one handler.
type Report struct {
	Package string `json:"package"`
	Test    string `json:"test"`
	Handler string `json:"handler"`
	Fired   int    `json:"fired"`
	Failed  int    `json:"failed"`
	Rows    []Row  `json:"rows"`
}

// row sums the trial up.
func (tr *trial) row() Row {
	s := tr.last()
	return Row{
		Fault: tr.fault.name, State: string(s.State), Reason: string(s.Reason), Attempt: s.Attempt, Reclaims: s.Reclaims,
		Executions: tr.executions(), Effects: tr.effects(), Fired: tr.hasFired(), Problems: tr.found(),
	}
}

// effects counts the rows that are not as before the step.
func (tr *trial) effects() (n int) {
	if tr.catalog == nil || tr.initial == nil {
		return 0
	}
	before, after := tr.suite.catalog.normalise(tr.initial, tr.volatile), tr.suite.catalog.normalise(tr.snapshot(), tr.volatile)
	for name, rows := range after {
		if name != outputs {
			n += len(subtract(rows, before[name]))
		}
	}
	return n
}

// reporter collects the rows of one handler.
type reporter struct {
	t      *testing.T
	began  time.Time
	mu     sync.Mutex
	report Report
}

func newReport(t *testing.T, s *suite) *reporter {
	return &reporter{t: t, began: time.Now(), report: Report{Test: t.Name(), Handler: s.node}}
}

func (r *reporter) add(row Row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Rows = append(r.report.Rows, row)
	if row.Fired {
		r.report.Fired++
	}
	if len(row.Problems) > 0 {
		r.report.Failed++
	}
}

func (r *reporter) finish() {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "FAULT\tSTATE\tATTEMPT\tRECLAIMS\tEXECUTIONS\tEFFECTS\tOUTCOME")
	for _, row := range r.report.Rows {
		outcome := "ok"
		if len(row.Problems) > 0 {
			outcome = "WRONG"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s %s\t%d\t%d\t%d\t%d\t%s\n", row.Fault, row.State, row.Reason, row.Attempt, row.Reclaims, row.Executions, row.Effects, outcome)
	}
	_ = w.Flush()
	r.t.Logf("%s: %d faults fired in %v\n%s", r.report.Handler, r.report.Fired, time.Since(r.began).Round(time.Millisecond), b.String())
}
