package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// WorkerEnv tells a process that it is a worker of the demonstration, and on which database.
const WorkerEnv = "IDEM_DEMO_WORKER"

// fleet are the worker processes.
type fleet struct {
	ctx     context.Context
	url     string
	tally   *tally
	workers []*process
	kills   int // workers that were killed
	inside  int // handlers that ran in them at that moment
}

func startFleet(ctx context.Context, n int, url string, t *tally) (*fleet, error) {
	f := &fleet{ctx: ctx, url: url, tally: t, workers: make([]*process, n)}
	for i := range f.workers {
		var err error
		if f.workers[i], err = f.start(); err != nil {
			f.killAll()
			return nil, err
		}
	}
	return f, nil
}

// process is a worker process and what it has reported.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer // closes with the parent, however that ends: the worker then stops
	output sync.WaitGroup
	stderr strings.Builder
	exited chan error

	mu      sync.Mutex
	running map[string]bool // steps that its handlers are in
}

func (f *fleet) start() (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{exited: make(chan error, 1), running: map[string]bool{}}
	p.cmd = exec.Command(self, "demo")
	p.cmd.Args[0] = os.Args[0]
	p.cmd.Env = append(os.Environ(), WorkerEnv+"="+f.url)
	p.cmd.Stderr = &p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker process: %w", err)
	}
	p.output.Go(func() { p.read(stdout, f.tally) })
	go func() {
		p.output.Wait()
		p.exited <- p.cmd.Wait()
	}()
	return p, nil
}

// read follows the worker's reports.
func (p *process) read(stdout io.Reader, t *tally) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		what, step, _ := strings.Cut(lines.Text(), " ")
		p.mu.Lock()
		if what == "begin" {
			p.running[step] = true
			t.begin(step)
		} else {
			delete(p.running, step)
		}
		p.mu.Unlock()
	}
}

// kill ends a worker as a crash does, and puts another one in its place.
func (f *fleet) kill(i int) error {
	p := f.workers[i]
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.exited
	f.kills++
	f.inside += len(p.running)
	var err error
	f.workers[i], err = f.start()
	return err
}

// failure tells whether a worker ended that nobody killed.
func (f *fleet) failure() error {
	for _, p := range f.workers {
		select {
		case err := <-p.exited:
			p.exited <- err
			return fmt.Errorf("a worker ended by itself (%v): %s", err, p.stderr.String())
		default:
		}
	}
	return nil
}

// stop lets the workers end in good order.
func (f *fleet) stop() error {
	var errs []error
	for _, p := range f.workers {
		if err := p.stdin.Close(); err != nil {
			errs = append(errs, err)
		}
	}
	for _, p := range f.workers {
		err := <-p.exited
		p.exited <- err
		if err != nil {
			errs = append(errs, fmt.Errorf("a worker did not stop well: %w: %s", err, p.stderr.String()))
		}
	}
	return errors.Join(errs...)
}

// killAll leaves no process behind, whatever happened before.
func (f *fleet) killAll() {
	for _, p := range f.workers {
		if p != nil {
			_ = p.cmd.Process.Kill()
			err := <-p.exited
			p.exited <- err
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

// counts gives all executions, and the number of steps that had more than one.
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
