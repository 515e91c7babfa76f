package fleet

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Process is a worker process. Its methods may be called from several goroutines at once.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.Closer // closes with the parent, however that ends: the worker then stops
	stderr capped
	exited chan struct{}
	err    error // of the process, once it has exited
}

// Start runs the command once more with the arguments and the additional environment. line is called with each line
// of its output, in order and by one goroutine; the bytes are its only until it returns.
func Start(args, env []string, line func([]byte)) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &Process{exited: make(chan struct{})}
	p.cmd = exec.Command(self, args...)
	p.cmd.Args[0] = os.Args[0]
	p.cmd.Env = append(os.Environ(), env...)
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
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			line(lines.Bytes())
		}
		_, _ = io.Copy(io.Discard, stdout) // a line too long must not block the worker
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// Kill ends the process as a crash does. When it returns, all that the process has written is read.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // also a stopped one; an error means that it has ended
	<-p.exited
}

// Pause stops the process with SIGSTOP, until Resume.
func (p *Process) Pause() error { return pause(p.cmd.Process) }

// Resume lets a stopped process go on. One that has ended meanwhile is no error.
func (p *Process) Resume() { resume(p.cmd.Process) }

// Close asks the process to end in good order, and does not wait for it.
func (p *Process) Close() { _ = p.stdin.Close() }

// Wait waits until the process has ended after Close, and tells if it did not end well.
func (p *Process) Wait() error {
	<-p.exited
	if p.err != nil {
		return fmt.Errorf("a worker did not stop well: %w: %s", p.err, p.stderr.String())
	}
	return nil
}

// Failure reports whether the process has ended, which nobody asked it to.
func (p *Process) Failure() error {
	select {
	case <-p.exited:
		return fmt.Errorf("a worker ended by itself (%v): %s", p.err, p.stderr.String())
	default:
		return nil
	}
}

// Serve is the worker's side: it runs work until the standard input closes, which happens when the parent asks for
// it, and with the parent, however that ends.
func Serve(ctx context.Context, work func(context.Context) error) error {
	ctx, stop := UntilInputCloses(ctx)
	defer stop()
	if err := work(ctx); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}

// UntilInputCloses returns a context that ends when the standard input closes.
func UntilInputCloses(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return ctx, stop
}
