package relay

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/idem-go/idem/cmd/idemlab/fleet"
	"github.com/idem-go/idem/cmd/idemlab/soak/proxy"
)

// process is one relay process, or one worker process.
type process struct {
	*fleet.Process
	inHand atomic.Int64 // commands that a relay has claimed and is not through with
}

// crew are the places of the processes. A killed one is replaced at once.
type crew struct {
	relays  []*place
	workers []*place
	late    atomic.Int64 // outcomes that came after their claim was lost
	groups  atomic.Int64 // commits of more than one step
	grouped atomic.Int64 // steps in them
}

// place is where one process after another works, always behind the same proxy.
type place struct {
	name  string // the application name of its sessions
	env   string // what tells the process what it is
	url   string
	proxy *proxy.Proxy

	mu      sync.Mutex
	process *process
}

// newCrew starts relays and workers, each with a proxy of its own in a folder below dir.
func newCrew(o Options, dir, upstream, database string) (c *crew, err error) {
	c = &crew{}
	for i := range o.Relays {
		if c.relays, err = c.add(c.relays, fmt.Sprintf("soak-relay-%d", i), relayEnv, dir, upstream, database); err != nil {
			return c, err
		}
	}
	for i := range o.Workers {
		if c.workers, err = c.add(c.workers, fmt.Sprintf("soak-worker-%d", i), workerEnv, dir, upstream, database); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *crew) add(places []*place, name, env, dir, upstream, database string) ([]*place, error) {
	p, err := proxy.New(filepath.Join(dir, name), upstream)
	if err != nil {
		return places, err
	}
	at := &place{name: name, env: env, proxy: p, url: p.URL(database, name)}
	at.process, err = c.start(at)
	return append(places, at), err
}

func (c *crew) start(at *place) (*process, error) {
	p := &process{}
	var err error
	p.Process, err = fleet.Start([]string{"soak"}, []string{at.env + "=" + at.url}, func(line []byte) { c.hear(p, line) })
	return p, err
}

// hear takes what a process reports. The last line of one that was killed may be torn, and is not for anybody.
func (c *crew) hear(p *process, line []byte) {
	what, number, found := bytes.Cut(line, []byte(" "))
	n, err := strconv.ParseInt(string(number), 10, 64)
	if !found || err != nil || len(what) != 1 {
		return
	}
	switch what[0] {
	case claimed:
		p.inHand.Add(n)
	case finished:
		p.inHand.Add(-n)
	case late:
		p.inHand.Add(-n)
		c.late.Add(n)
	case grouped:
		c.groups.Add(1)
		c.grouped.Add(n)
	}
}

// current returns the process that is in the place now.
func (at *place) current() *process {
	at.mu.Lock()
	defer at.mu.Unlock()
	return at.process
}

// kill ends the process as a crash does, and puts another one in its place. It returns the number of commands that it had
// in hand.
func (c *crew) kill(at *place) (inHand int64, err error) {
	at.mu.Lock()
	defer at.mu.Unlock()
	if err := at.process.Failure(); err != nil {
		return 0, err
	}
	at.process.Kill()
	inHand = at.process.inHand.Load()
	p, err := c.start(at)
	if err == nil {
		at.process = p
	}
	return inHand, err
}

func (c *crew) all() []*place { return append(c.relays[:len(c.relays):len(c.relays)], c.workers...) }

// failure reports whether a process ended that nobody killed.
func (c *crew) failure() error {
	for _, at := range c.all() {
		if err := at.current().Failure(); err != nil {
			return fmt.Errorf("%s: %w", at.name, err)
		}
	}
	return nil
}

// leave lets the processes end in good order.
func (c *crew) leave() error {
	for _, at := range c.all() {
		at.current().Close()
	}
	var errs []error
	for _, at := range c.all() {
		errs = append(errs, at.current().Wait())
	}
	return errors.Join(errs...)
}

// abandon leaves no process behind, whatever happened before.
func (c *crew) abandon() {
	for _, at := range c.all() {
		if p := at.current(); p != nil && p.Process != nil {
			p.Kill()
		}
		at.proxy.Stop()
	}
}
