package outbox

import (
	"sync"
	"time"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// claimed is a command in this relay's care.
type claimed struct {
	Command
	epoch    int64
	since    time.Duration // since its first send, when it was claimed, by the database's clock
	claimed  time.Time     // just before the claim was asked for, so that the lease cannot be overrated
	lane     *lane
	duration time.Duration // of the send
}

// lane is a destination: what waits for it, and how it fares.
type lane struct {
	to      string
	queue   []*claimed
	sending int
	ready   bool          // it is in the list of lanes that can send
	offered int           // how many commands the last claim was allowed to take
	taken   int           // and how many it took: if all, there may be more
	pace    time.Duration // a moving average of how long a send takes; 0: not known
	used    time.Time
	breaker breaker
}

// lanes hand claimed commands to the senders: to each destination no more than it may get, and in turns, so that
// a slow one delays only itself.
type lanes struct {
	cfg    *Config
	single bool          // all commands are in one lane
	work   chan *claimed // never blocks: it has room for all that may be sent at a time

	mu      sync.Mutex
	all     map[string]*lane
	ready   []*lane // lanes that can send, in turns
	sending int
	queued  int
	full    bool          // the last claim was as large as it could be
	room    chan struct{} // there is room for another claim
	stopped bool
}

func newLanes(cfg *Config, single bool) *lanes {
	return &lanes{cfg: cfg, single: single, work: make(chan *claimed, cfg.Concurrency), all: map[string]*lane{}, room: make(chan struct{}, 1)}
}

// window is how many commands of a lane the relay may hold: as many as it sends in a quarter of the lease. Until the
// pace of a destination is known, that is what may be under way at once.
func (l *lanes) window(a *lane) int {
	if a.breaker.probing() {
		return 1
	}
	least, most := l.cfg.PerDestination, max(2*l.cfg.Batch, l.cfg.PerDestination)
	if a.pace == 0 {
		return least
	}
	return int(min(max(int64(least)*int64(l.cfg.Lease/4)/int64(a.pace), int64(least)), int64(most)))
}

func (l *lanes) roomOf(a *lane, now time.Time) int {
	if a.breaker.open(now) {
		return 0
	}
	return max(l.window(a)-len(a.queue)-a.sending, 0)
}

// rooms says how many commands the next claim may take: in all, and for each destination that is known. Destinations
// that were not used for a while are forgotten. A table without destinations has a single lane.
func (l *lanes) rooms(now time.Time) (limit int, destinations []string, rooms []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for to, a := range l.all {
		if a.sending == 0 && len(a.queue) == 0 && !a.breaker.open(now) && now.Sub(a.used) > l.cfg.Lease {
			delete(l.all, to)
			continue
		}
		a.offered = l.roomOf(a, now)
		destinations, rooms = append(destinations, to), append(rooms, a.offered)
	}
	limit = max(min(l.cfg.Batch, 2*l.cfg.Batch-l.queued), 0)
	if l.single {
		limit = min(limit, l.cfg.PerDestination)
		if len(rooms) > 0 {
			limit = min(l.cfg.Batch, rooms[0])
		}
	}
	return limit, destinations, rooms
}

// add takes claimed commands in, and gives back those that there is no room for.
func (l *lanes) add(batch []*claimed, limit int, now time.Time) (refused []*claimed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = len(batch) == limit
	for _, a := range l.all {
		a.taken = 0
	}
	for _, c := range batch {
		a := l.all[c.To]
		if a == nil {
			a = &lane{to: c.To, offered: l.cfg.PerDestination}
			l.all[c.To] = a
		}
		a.taken++
		if l.stopped || l.roomOf(a, now) == 0 {
			refused = append(refused, c)
			continue
		}
		a.used, c.lane = now, a
		a.queue = append(a.queue, c)
		l.queued++
		l.list(a)
	}
	l.dispatch()
	return refused
}

// list puts a lane into the turn if it can send.
func (l *lanes) list(a *lane) {
	allowed := l.cfg.PerDestination
	if a.breaker.probing() {
		allowed = 1
	}
	if !a.ready && len(a.queue) > 0 && a.sending < allowed {
		a.ready = true
		l.ready = append(l.ready, a)
	}
}

// dispatch returns the senders work, one command of each lane at a time.
func (l *lanes) dispatch() {
	for l.sending < l.cfg.Concurrency && len(l.ready) > 0 {
		a := l.ready[0]
		l.ready = l.ready[1:]
		a.ready = false
		if len(a.queue) == 0 {
			continue
		}
		c := a.queue[0]
		a.queue[0] = nil
		a.queue = a.queue[1:]
		a.sending++
		l.sending++
		l.queued--
		l.work <- c
		l.list(a)
	}
}

// verdictOnLane is what a send's outcome means for its destination.
type verdictOnLane struct {
	opened   time.Duration // it is left alone for that long
	closed   bool          // it works again
	released []*claimed    // what waited for it
}

// sent frees the place of a command that was sent, with its outcome, or that was not, with nil.
func (l *lanes) sent(c *claimed, o *Outcome, now time.Time) (v verdictOnLane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := c.lane
	a.sending--
	l.sending--
	a.used = now
	if o != nil {
		a.pace = average(a.pace, c.duration)
		probing := a.breaker.probing()
		v.opened = a.breaker.note(*o, l.cfg, now)
		v.closed = probing && !a.breaker.probing()
		if a.breaker.open(now) {
			v.released, a.queue = a.queue, nil
			l.queued -= len(v.released)
		}
	}
	l.list(a)
	l.dispatch()
	if !l.stopped && (l.full && l.queued <= l.cfg.Batch || a.taken >= a.offered && 2*l.roomOf(a, now) >= l.window(a)) {
		pace.Signal(l.room)
	}
	return v
}

// average is a moving average over about eight values; never 0, which means that nothing is known.
func average(old, v time.Duration) time.Duration {
	if old == 0 {
		return max(v, 1)
	}
	return max(old+(v-old)/8, 1)
}

// stop takes what waits out of the lanes; nothing more is sent than is being sent.
func (l *lanes) stop() (released []*claimed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	for _, a := range l.all {
		released = append(released, a.queue...)
		a.queue = nil
	}
	l.queued, l.ready = 0, nil
	return released
}
