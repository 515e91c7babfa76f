package soak

import (
	"sync"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
)

// tracker knows what the workers have reported. It keeps a byte for each step, and more only for those in flight.
type tracker struct {
	mu      sync.Mutex
	seen    [kinds][]byte      // by number: how often its handler began, and whether its completion was reported
	holders map[step]*worker   // who began it last, until that one is through with it
	orphans map[step]time.Time // when the worker that held it was killed
	doubts  map[step]struct{}  // whose commit has an unknown outcome
	twice   finding.Violation  // completions that were reported twice
	counts  counts             // of everything so far
	again   []recovery         // of steps whose worker was killed
	outages []outage           // when the server took no writes
	ready   time.Time          // since when the server is back without a completion; zero: nobody waits
	firsts  []time.Duration    // from the server's return to the first completion
	refused int                // writes that were refused as read-only
}

// counts are what the tracker has counted.
type counts struct {
	executions int // of handlers
	completed  int // completions that were reported
	lastGone   int // executions that ended without one

	unknown  int // commits with an unknown outcome
	resolved int // of these: completed without running again: found committed, or sent once more
	rerun    int // of these: not committed, and run again
	settled  int // of these: not committed, and settled otherwise by the same worker
	waited   int // of the recoveries: the server was away meanwhile
}

// recovery is how long a step took from the kill of its worker to its next start.
type recovery struct {
	killed time.Time
	took   time.Duration
}

// outage is a time in which the server took no writes. An end of zero: it lasts.
type outage struct{ from, to time.Time }

// The byte of a step: the number of its starts, up to startsMask, and a flag.
const (
	startsMask   = 0x7f
	reportedFlag = 0x80
)

func newTracker() *tracker {
	return &tracker{
		holders: map[step]*worker{}, orphans: map[step]time.Time{}, doubts: map[step]struct{}{},
		twice: finding.Violation{Oracle: "I8"},
	}
}

// report takes a line that w has written.
func (t *tracker) report(w *worker, line []byte) {
	if len(line) < 2 {
		return
	}
	s, err := parseStep(line[2:])
	if err != nil {
		return // the torn last line of a killed worker
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch line[0] {
	case began:
		t.began(w, s)
	case completed:
		t.completed(w, s)
	case unknown:
		if _, again := t.doubts[s]; !again {
			t.counts.unknown++
			t.doubts[s] = struct{}{}
		}
	case gone:
		t.counts.lastGone++
		if _, doubted := t.doubts[s]; doubted {
			delete(t.doubts, s)
			t.counts.settled++
		}
		t.release(w, s)
	case readOnly:
		t.refused++
	}
}

func (t *tracker) began(w *worker, s step) {
	now := time.Now()
	t.counts.executions++
	if b := t.byteOf(s); *b&startsMask < startsMask {
		*b++
	}
	if at, orphan := t.orphans[s]; orphan {
		delete(t.orphans, s)
		if t.wasAway(at, now) {
			t.counts.waited++
		} else {
			t.again = append(t.again, recovery{at, now.Sub(at)})
		}
	}
	if _, doubted := t.doubts[s]; doubted {
		delete(t.doubts, s)
		t.counts.rerun++
	}
	t.holders[s] = w
}

func (t *tracker) completed(w *worker, s step) {
	t.counts.completed++
	b := t.byteOf(s)
	if *b&reportedFlag != 0 {
		t.twice.Add(s.String() + " was reported completed twice")
	}
	*b |= reportedFlag
	if _, doubted := t.doubts[s]; doubted {
		delete(t.doubts, s)
		t.counts.resolved++
	}
	if !t.ready.IsZero() {
		t.firsts = append(t.firsts, time.Since(t.ready))
		t.ready = time.Time{}
	}
	t.release(w, s)
}

func (t *tracker) release(w *worker, s step) {
	if t.holders[s] == w {
		delete(t.holders, s)
	}
}

// byteOf returns the byte of a step, and makes room for it.
func (t *tracker) byteOf(s step) *byte {
	of := &t.seen[s.kind]
	if need := int(s.n) + 1 - len(*of); need > 0 {
		*of = append(*of, make([]byte, need)...)
	}
	return &(*of)[s.n]
}

// killed notes that w is dead, and returns the number of steps in its hands.
func (t *tracker) killed(w *worker, at time.Time) (inHand int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s, holder := range t.holders {
		if holder == w {
			inHand++
			delete(t.holders, s)
			t.orphans[s] = at
		}
	}
	return inHand
}

// inHand counts the steps that w is working on.
func (t *tracker) inHand(w *worker) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, holder := range t.holders {
		if holder == w {
			n++
		}
	}
	return n
}

// away notes that the server takes no writes from now on, until back is called. recovered tells whether it was down,
// so that the first completion is waited for.
func (t *tracker) away() (back func(recovered bool)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready = time.Time{}
	at := len(t.outages)
	t.outages = append(t.outages, outage{from: time.Now()})
	return func(recovered bool) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.outages[at].to = time.Now()
		if recovered {
			t.ready = time.Now()
		}
	}
}

// wasAway reports whether the server took no writes at some time between the two.
func (t *tracker) wasAway(from, to time.Time) bool {
	for _, o := range t.outages {
		if o.from.Before(to) && (o.to.IsZero() || o.to.After(from)) {
			return true
		}
	}
	return false
}

// isAway reports whether the server takes no writes now.
func (t *tracker) isAway() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.outages) > 0 && t.wasAway(time.Now(), time.Now().Add(time.Nanosecond))
}

func (t *tracker) snapshot() (c counts, refused int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts, t.refused
}

// repeated counts the steps whose handler began more than once.
func (t *tracker) repeated() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, of := range t.seen {
		for _, b := range of {
			if b&startsMask > 1 {
				n++
			}
		}
	}
	return n
}

// reported reports whether a worker has said that the step is completed.
func (t *tracker) reported(s step) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(s.n) < len(t.seen[s.kind]) && t.seen[s.kind][s.n]&reportedFlag != 0
}
