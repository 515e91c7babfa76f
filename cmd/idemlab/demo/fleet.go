package demo

import (
	"errors"
	"strings"
	"sync"

	"github.com/idem-go/idem/cmd/idemlab/fleet"
)

// WorkerEnv tells a process that it is a worker of the demonstration, and on which database.
const WorkerEnv = "IDEM_DEMO_WORKER"

// workers are the worker processes.
type workers struct {
	url    string
	tally  *tally
	all    []*process
	kills  int // workers that were killed
	inside int // handlers that ran in them at that moment
}

func startWorkers(n int, url string, t *tally) (*workers, error) {
	f := &workers{url: url, tally: t, all: make([]*process, n)}
	for i := range f.all {
		var err error
		if f.all[i], err = f.start(); err != nil {
			f.killAll()
			return nil, err
		}
	}
	return f, nil
}

// process is a worker process and what it has reported.
type process struct {
	*fleet.Process

	mu      sync.Mutex
	running map[string]bool // steps that its handlers are in
}

func (f *workers) start() (p *process, err error) {
	p = &process{running: map[string]bool{}}
	p.Process, err = fleet.Start([]string{"demo"}, []string{WorkerEnv + "=" + f.url}, func(line []byte) {
		p.report(string(line), f.tally)
	})
	return p, err
}

// report takes a line of the worker's reports.
func (p *process) report(line string, t *tally) {
	what, step, _ := strings.Cut(line, " ")
	p.mu.Lock()
	defer p.mu.Unlock()
	if what == "begin" {
		p.running[step] = true
		t.begin(step)
	} else {
		delete(p.running, step)
	}
}

// kill ends a worker as a crash does, and puts another one in its place.
func (f *workers) kill(i int) (err error) {
	if err := f.failure(); err != nil {
		return err
	}
	p := f.all[i]
	p.Kill()
	f.kills++
	f.inside += len(p.running)
	f.all[i], err = f.start()
	return err
}

// failure reports whether a worker ended that nobody killed.
func (f *workers) failure() error {
	for _, p := range f.all {
		if err := p.Failure(); err != nil {
			return err
		}
	}
	return nil
}

// stop lets the workers end in good order.
func (f *workers) stop() error {
	for _, p := range f.all {
		p.Close()
	}
	var errs []error
	for _, p := range f.all {
		errs = append(errs, p.Wait())
	}
	return errors.Join(errs...)
}

// killAll leaves no process behind, whatever happened before.
func (f *workers) killAll() {
	for _, p := range f.all {
		if p != nil && p.Process != nil {
			p.Kill()
		}
	}
}

// tally counts how often the handler of each step began.
type tally struct {
	mu         sync.Mutex
	executions map[string]int
}

func (t *tally) begin(step string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.executions[step]++
}

// counts returns all executions, and the number of steps that had more than one.
func (t *tally) counts() (executions, repeated int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.executions {
		executions += n
		if n > 1 {
			repeated++
		}
	}
	return executions, repeated
}
