package fault

import (
	"fmt"
	"io"
)

// Count is how many faults of a kind there were.
type Count struct {
	Kind    Kind `json:"fault"`
	Planned int  `json:"planned"`
	Landed  int  `json:"landed"` // hit something: work in hand, bytes under way, sessions, writes
}

// Planned counts the faults of each kind.
func Planned(faults []Fault) map[Kind]int {
	n := map[Kind]int{}
	for _, f := range faults {
		n[f.Kind]++
	}
	return n
}

// WriteTable writes the counts as a table for a tabwriter.
func WriteTable(t io.Writer, counts []Count) {
	fmt.Fprintln(t, "  fault\tplanned\tlanded\t")
	fmt.Fprintln(t, "  -----\t-------\t------\t")
	planned := 0
	for _, c := range counts {
		fmt.Fprintf(t, "  %s\t%d\t%d\t\n", c.Kind, c.Planned, c.Landed)
		planned += c.Planned
	}
	fmt.Fprintf(t, "  all\t%d\t%d\t\n", planned, Landed(counts))
}

// Landed adds up the faults that have landed.
func Landed(counts []Count) (n int) {
	for _, c := range counts {
		n += c.Landed
	}
	return n
}
