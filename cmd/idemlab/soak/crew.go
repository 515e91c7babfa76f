package soak

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/fleet"
	"github.com/idem-go/idem/cmd/idemlab/soak/proxy"
)

// worker is one worker process.
type worker struct{ *fleet.Process }

// crew are the places of the workers. A killed worker is replaced at once.
type crew struct {
	tracker *tracker
	places  []*place
}

// place is where one worker after another works, always behind the same proxy.
type place struct {
	name  string // the application name of its sessions
	url   string
	proxy *proxy.Proxy

	mu     sync.Mutex
	worker *worker
	// troubles counts what keeps the worker from looking after others' leases at the moment.
	troubles atomic.Int32
}

// newCrew starts n workers, each with a proxy of its own in a folder below dir.
func newCrew(n int, dir, upstream, database string, t *tracker) (*crew, error) {
	c := &crew{tracker: t}
	for i := range n {
		name := fmt.Sprintf("soak-worker-%d", i)
		p, err := proxy.New(filepath.Join(dir, fmt.Sprint(i)), upstream)
		if err != nil {
			return c, err
		}
		pl := &place{name: name, url: p.URL(database, name), proxy: p}
		c.places = append(c.places, pl)
		if pl.worker, err = c.start(pl); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *crew) start(p *place) (*worker, error) {
	w := &worker{}
	var err error
	w.Process, err = fleet.Start([]string{"soak"}, []string{WorkerEnv + "=" + p.url}, func(line []byte) {
		c.tracker.report(w, line)
	})
	return w, err
}

// current returns the worker that is in the place now.
func (p *place) current() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.worker
}

// kill ends the worker as a crash does, and puts another one in its place. It returns the number of steps that it held.
func (c *crew) kill(p *place) (inHand int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.worker.Failure(); err != nil {
		return 0, err
	}
	defer p.trouble(startingTime)()
	at := time.Now()
	p.worker.Kill()
	inHand = c.tracker.killed(p.worker, at)
	w, err := c.start(p)
	if err == nil {
		p.worker = w
	}
	return inHand, err
}

// startingTime is what a worker is given to be itself again after a fault.
const startingTime = time.Second

// trouble marks the place until after is called, and for the time rest after that.
func (p *place) trouble(rest time.Duration) (after func()) {
	p.troubles.Add(1)
	return func() { time.AfterFunc(rest, func() { p.troubles.Add(-1) }) }
}

// able reports whether somebody can look after the leases of others.
func (c *crew) able() bool {
	for _, p := range c.places {
		if p.troubles.Load() == 0 {
			return true
		}
	}
	return false
}

// failure reports whether a worker ended that nobody killed.
func (c *crew) failure() error {
	for _, p := range c.places {
		if err := p.current().Failure(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// leave lets the workers end in good order.
func (c *crew) leave() error {
	for _, p := range c.places {
		p.current().Close()
	}
	var errs []error
	for _, p := range c.places {
		errs = append(errs, p.current().Wait())
	}
	return errors.Join(errs...)
}

// abandon leaves no process behind, whatever happened before.
func (c *crew) abandon() {
	for _, p := range c.places {
		if w := p.current(); w != nil && w.Process != nil {
			w.Kill()
		}
		p.proxy.Stop()
	}
}
