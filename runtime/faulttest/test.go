package faulttest

import (
	"slices"
	"strings"
	"testing"
)

// test runs the handler without a fault and then with each of them.
func test(t *testing.T, s *subject) {
	t.Helper()
	if childOf(t, s) {
		return
	}
	suite := newSuite(t, s)
	report := newReport(t, suite)
	t.Cleanup(report.finish)
	if problems := suite.faultFree(t); len(problems) > 0 {
		report.add(suite.base[0].row())
		t.Fatalf("without any fault: %s", strings.Join(problems, "\n"))
	}
	report.add(suite.base[0].row())
	t.Cleanup(func() {
		for _, problem := range suite.lastLook() {
			t.Errorf("without any fault: %s", problem)
		}
	})
	t.Logf("not compared, as it differs between two runs without a fault: %s", strings.Join(suite.volatile.list(), ", "))
	for _, f := range suite.faults(testing.Short()) {
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

// faults lists what can befall the step.
func (s *suite) faults(short bool) []*fault {
	var list []*fault
	if !short {
		list = kills()
	}
	return slices.Concat(list, failures(), timeouts(), losses(), deliveries(), refusals(s.written),
		s.payloads(), s.enqueueings(), s.mismatches(), cuts(s.trips))
}
