package fault

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
)

// Share says how many of a hundred faults are of a kind.
type Share struct {
	Kind   Kind
	Of     int
	Server bool // it befalls the server, and has no victim
}

// Mix has all kinds of a soak. The shares add up to a hundred.
type Mix []Share

// Plan plans faults for d, with pauses between lo and hi: the same for the same arguments. It begins with one of each kind.
// detail decides whom a fault hits and how long it lasts.
func (m Mix) Plan(random *rand.Rand, d, lo, hi time.Duration, detail func(*Fault)) []Fault {
	faults := []Fault{}
	first := random.Perm(len(m))
	for at := Between(random, lo, hi); at < d; at += Between(random, lo, hi) {
		f := Fault{At: at.Milliseconds()}
		if i := len(faults); i < len(first) {
			f.Kind = m[first[i]].Kind
		} else {
			f.Kind = m.pick(random)
		}
		detail(&f)
		faults = append(faults, f)
	}
	return faults
}

func (m Mix) pick(random *rand.Rand) Kind {
	n := random.IntN(100)
	for _, s := range m {
		if n -= s.Of; n < 0 {
			return s.Kind
		}
	}
	panic("the shares do not add up to 100")
}

// Between returns a time from lo on and before hi.
func Between(random *rand.Rand, lo, hi time.Duration) time.Duration {
	return lo + time.Duration(random.Int64N(int64(hi-lo)))
}

// line describes a fault.
func (m Mix) line(f Fault) string {
	width, placed := 0, true
	for _, s := range m {
		width = max(width, len(s.Kind))
		placed = placed && !(s.Kind == f.Kind && s.Server)
	}
	text := fmt.Sprintf("%6.1f s  %-*s", float64(f.At)/1000, width, f.Kind)
	if placed {
		text += fmt.Sprintf("  place %d", f.Victim)
	}
	if f.Way != "" {
		text += ", " + string(f.Way)
	}
	if f.For > 0 {
		text += fmt.Sprintf("  for %.1f s", f.Lasts().Seconds())
	}
	return text
}

// summary says how many faults of each kind are planned.
func (m Mix) summary(faults []Fault) string {
	planned := Planned(faults)
	var parts []string
	for _, s := range m {
		parts = append(parts, fmt.Sprintf("%s %d", s.Kind, planned[s.Kind]))
	}
	return strings.Join(parts, ", ")
}

// previewed is how many faults a preview describes.
const previewed = 8

// Preview returns lines about what is planned: how much of each kind, and the first faults.
func (m Mix) Preview(faults []Fault) []string {
	lines := []string{m.summary(faults)}
	for _, f := range faults[:min(previewed, len(faults))] {
		lines = append(lines, m.line(f))
	}
	if more := len(faults) - previewed; more > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more; --report FILE has all of them", more))
	}
	return lines
}

// Counts says of each kind how many faults were planned, and how many have landed.
func (m Mix) Counts(faults []Fault, landed map[Kind]int) []Count {
	planned := Planned(faults)
	var counts []Count
	for _, s := range m {
		counts = append(counts, Count{s.Kind, planned[s.Kind], landed[s.Kind]})
	}
	return counts
}

// Missed finds, for an oracle, the kinds that were planned and have not landed once.
func (m Mix) Missed(oracle string, faults []Fault, landed map[Kind]int) finding.Violation {
	v := finding.Violation{Oracle: oracle}
	for _, c := range m.Counts(faults, landed) {
		if c.Planned > 0 && c.Landed == 0 {
			v.Add(fmt.Sprintf("none of %d faults of the kind %s has hit anything", c.Planned, c.Kind))
		}
	}
	return v
}
