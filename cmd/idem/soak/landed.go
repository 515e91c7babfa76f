package soak

import (
	"fmt"
	"slices"

	"github.com/idem-go/idem/cmd/idem/soak/finding"
)

// notLanded asks I12: every kind of fault that was planned has landed at least once.
func notLanded(planned []Fault, landed map[FaultKind]int) finding.Violation {
	v := finding.Violation{Oracle: "I12"}
	for kind, n := range countFaults(planned) {
		if landed[kind] == 0 {
			v.Add(fmt.Sprintf("none of %d faults of the kind %s has hit anything", n, kind))
		}
	}
	slices.Sort(v.Examples)
	return v
}

func countFaults(faults []Fault) map[FaultKind]int {
	n := map[FaultKind]int{}
	for _, f := range faults {
		n[f.Kind]++
	}
	return n
}
