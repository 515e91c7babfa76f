package finding

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// Violation is an oracle that did not hold: how often, and the first cases of it.
type Violation struct {
	Oracle   string   `json:"oracle"`
	Count    int      `json:"count"`
	Examples []string `json:"examples,omitempty"`
}

// MaxExamples is how many cases of a violation are kept.
const MaxExamples = 5

// Add counts a case.
func (v *Violation) Add(example string) {
	v.Count++
	if len(v.Examples) < MaxExamples {
		v.Examples = append(v.Examples, example)
	}
}

// Findings are the oracles that did not hold.
type Findings struct {
	mu  sync.Mutex
	all map[string]Violation
}

// New makes findings that are empty.
func New() *Findings { return &Findings{all: map[string]Violation{}} }

// Add takes violations in. What is found again is counted once, at its worst.
func (f *Findings) Add(violated ...Violation) {
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

// Count returns the number of cases, of all violations.
func (f *Findings) Count() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range f.all {
		n += v.Count
	}
	return n
}

// List returns the violations by oracle.
func (f *Findings) List() []Violation {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]Violation, 0, len(f.all))
	for _, id := range slices.Sorted(maps.Keys(f.all)) {
		list = append(list, f.all[id])
	}
	return list
}

// Write tells what was violated. says gives the sentence of an oracle.
func Write(w io.Writer, violations []Violation, says func(oracle string) string) {
	for _, v := range violations {
		fmt.Fprintf(w, "%s is violated, %d times: %s\n", v.Oracle, v.Count, says(v.Oracle))
		for _, e := range v.Examples {
			fmt.Fprintf(w, "    %s\n", e)
		}
	}
}
