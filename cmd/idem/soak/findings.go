package soak

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// findings are the oracles that did not hold.
type findings struct {
	mu  sync.Mutex
	all map[string]violation
}

func newFindings() *findings { return &findings{all: map[string]violation{}} }

// add takes violations in. What is found again is counted once, at its worst.
func (f *findings) add(violated ...violation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range violated {
		if before := f.all[v.Oracle]; v.Count > before.Count {
			if before.Count > 0 {
				v.Examples = before.Examples // the first ones tell most
			}
			f.all[v.Oracle] = v
		}
	}
}

func (f *findings) count() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range f.all {
		n += v.Count
	}
	return n
}

// list gives the violations by oracle.
func (f *findings) list() []violation {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]violation, 0, len(f.all))
	for _, id := range slices.Sorted(maps.Keys(f.all)) {
		list = append(list, f.all[id])
	}
	return list
}

// notLanded asks I12: every kind of fault that was planned has landed at least once.
func notLanded(planned []Fault, landed map[FaultKind]int) violation {
	v := violation{Oracle: "I12"}
	for kind, n := range countFaults(planned) {
		if landed[kind] == 0 {
			v.add(fmt.Sprintf("none of %d faults of the kind %s has hit anything", n, kind))
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
