package faulttest

import (
	"fmt"
	"testing"

	"github.com/idem-go/idem/runtime"
)

// fault is something that can befall a step, and what must have become of the step afterwards.
type fault struct {
	name   string
	limits func(*limits)
	// around takes the place of the handler in the worker; nil: the handler alone. It calls the handler itself.
	around func(x *execution) (any, error)
	// play brings the fault about, and returns when the step has ended. nil: [trial.play].
	play func(tr *trial)
	want want
	// check looks at the database in the end. nil: it is as without the fault where the step completed, and
	// as before the step otherwise.
	check   func(tr *trial)
	outcome string   // for the table, where it is neither of the ordinary ones
	dealing *dealing // what is to become of the call that the fault concerns; nil: as of the others
	late    bool     // windows are over before a call is sent again
	hurried bool     // a call may be cut short by the end of its attempt, and be sent again
	diverts bool     // the handler may call other providers than without the fault
	// What the harness does itself is not held against the handler: to ignore an error of SQL, to run on after a timeout.
	swallows, outlives bool
}

// want is how a step must end. Zero fields stand for the first attempt, no reclaim, completed.
type want struct {
	state    runtime.State
	reason   runtime.Reason
	attempt  span
	reclaims int
	runs     span // of the handler
	open     bool // however the step ends: play has judged it
}

// span is a number or, where that depends on how the handler writes, a range.
type span struct{ from, to int }

func exactly(n int) span { return span{n, n} }

func (s span) has(n int) bool { return n >= s.from && n <= s.to }

func (s span) String() string {
	if s.from == s.to {
		return fmt.Sprint(s.from)
	}
	return fmt.Sprintf("%d to %d", s.from, s.to)
}

func (w want) defaults() want {
	if w.state == "" {
		w.state = runtime.StateCompleted
	}
	if w.attempt == (span{}) {
		w.attempt = exactly(1)
	}
	if w.runs == (span{}) {
		w.runs = exactly(1)
	}
	return w
}

// try brings a fault about on a fresh database, and says what has become of the step.
func (s *suite) try(tb testing.TB, f *fault) Row {
	tr := newTrial(tb, s, f)
	if f.play == nil {
		tr.play()
	} else {
		f.play(tr)
	}
	tr.stop()
	if tr.hasFired() {
		tr.judge()
	} else {
		tr.problem("the fault did not happen, so nothing is shown; the step is %s", describeEnd(tr.look()))
	}
	return tr.row()
}

// play is how most faults are tried: the step is enqueued, and one worker runs it to its end.
func (tr *trial) play() {
	if !tr.enqueued() {
		return
	}
	tr.work()
	tr.wait()
}

// playSweeping is play with a worker that takes back what has lost its lease.
func (tr *trial) playSweeping() {
	if !tr.enqueued() {
		return
	}
	tr.work(sweeping)
	tr.wait()
}

// judge compares what has become of the step with what must.
func (tr *trial) judge() {
	w := tr.fault.want.defaults()
	s := tr.look()
	if !w.open {
		tr.judgeEnd(w, s)
	}
	tr.judgeManners()
	tr.judgeCalls(s.State == runtime.StateCompleted)
	if tr.fault.check != nil {
		tr.fault.check(tr)
	} else {
		tr.judgeEffects(s.State)
	}
}

// judgeEnd compares the step's row.
func (tr *trial) judgeEnd(w want, s runtime.StepStatus) {
	switch {
	case s.State != w.state:
		tr.problem("the step is %s, and must be %s%s", describeEnd(s), w.state, because(s))
	case w.reason != "" && s.Reason != w.reason:
		tr.problem("the step is %s, and must be %s (%s)%s", describeEnd(s), w.state, w.reason, because(s))
	case !w.attempt.has(s.Attempt):
		tr.problem("the step ended with attempt %d, and must with %s%s", s.Attempt, w.attempt, because(s))
	case s.Reclaims != w.reclaims:
		tr.problem("the step was taken over %d times, and must be %d times", s.Reclaims, w.reclaims)
	}
	if n := tr.executions(); !w.runs.has(n) {
		tr.problem("the handler ran %d times, and must run %s times", n, w.runs)
	}
}

func describeEnd(s runtime.StepStatus) string {
	if s.Reason == "" {
		return string(s.State)
	}
	return fmt.Sprintf("%s (%s)", s.State, s.Reason)
}

// because returns the step's last error, which the handler may have caused.
func because(s runtime.StepStatus) string {
	if s.Error == "" {
		return ""
	}
	return "\n  its last error: " + firstLines(s.Error)
}

// judgeManners looks at what the handler did that the database does not show.
func (tr *trial) judgeManners() {
	for _, e := range tr.events.list(runtime.EventRetried) {
		if e.Reason == runtime.ReasonTxAborted && !tr.fault.swallows {
			tr.problem("the handler returned nil although a statement had failed; return the error, or put a SAVEPOINT around a statement that may fail")
		}
	}
	if tr.events.of(runtime.EventStuck) > 0 && !tr.fault.outlives {
		tr.problem("the handler ran on after its timeout: it does not look at its context")
	}
	if err := tr.events.late(); err != nil {
		tr.problem("the handler, or a goroutine that it started, used its context after it had returned; wait for your goroutines before you return")
	}
}

// judgeEffects compares the database with what the step's end promises.
func (tr *trial) judgeEffects(state runtime.State) {
	after := tr.snapshot()
	want, than := tr.free, "without the fault"
	if state != runtime.StateCompleted {
		want, than = tr.initial, "before the step"
	}
	c := tr.compare(than)
	d := c.diff(want, after)
	switch {
	case d == "":
	case state == runtime.StateCompleted:
		tr.problem("the step completed, and the database is not as without the fault\n%s", d)
	default:
		tr.problem("the step did not complete, and yet it left something behind\n%s", d)
	}
}
