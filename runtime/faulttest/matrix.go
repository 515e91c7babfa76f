package faulttest

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

// test runs the handler without a fault and then with each of them.
func test(t *testing.T, s *subject) {
	t.Helper()
	if childOf(t, s) {
		return
	}
	claim(t, s)
	suite := newSuite(t, s)
	report := newReporter(t, s)
	problems := suite.faultFree(t)
	report.add(suite.freeRow(problems))
	if len(problems) > 0 {
		t.Fatalf("without any fault: %s", strings.Join(problems, "\n"))
	}
	t.Cleanup(func() {
		late := suite.lastLook()
		report.blame(late)
		for _, problem := range late {
			t.Errorf("without any fault: %s", problem)
		}
	})
	if names := suite.uncompared(); len(names) > 0 {
		t.Logf("not compared, as it differs from run to run: %s", strings.Join(names, ", "))
	}
	faults := suite.faults(testing.Short())
	report.expect(faults)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			row := suite.try(t, f)
			report.add(row)
			for _, problem := range row.Problems {
				t.Error(problem)
			}
		})
	}
}

// claimed are the handlers whose tests run, each under its test's name.
var claimed sync.Map

// claim makes sure that a worker process, which is told the test and the handler, can know which one it is to run.
func claim(tb testing.TB, s *subject) {
	tb.Helper()
	who := tb.Name() + "\x00" + s.node
	if _, twice := claimed.LoadOrStore(who, true); twice {
		tb.Fatalf("faulttest: %s is tried twice in one test; give each a subtest", s.node)
	}
	tb.Cleanup(func() { claimed.Delete(who) })
}

// faults lists what can befall the step.
func (s *suite) faults(short bool) []*fault {
	var list []*fault
	if !short {
		list = kills()
	}
	return slices.Concat(list, failures(), timeouts(), losses(), deliveries(), refusals(s.written),
		s.payloads(), s.enqueueings(), s.mismatches(), s.callFaults(short), s.commandFaults(short), cuts(s.trips))
}
