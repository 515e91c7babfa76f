package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/idem-go/idem/bench/process"
)

// child is a worker process, seen from its parent. Package process has its own side.
type child struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	ended chan error
}

// childReport is what a child reports, or that it has ended.
type childReport struct {
	process.Report
	from    *child
	failure error
}

// startChild starts a worker process, with settings in its environment.
func startChild(ctx context.Context, program string, t process.Task, reports chan<- childReport, settings ...string) (*child, error) {
	task, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, program), ended: make(chan error, 1)}
	c.cmd.Env = append(append(os.Environ(), settings...), process.TaskVariable+"="+string(task))
	c.cmd.Stderr = os.Stderr
	if c.input, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go c.read(ctx, output, reports)
	return c, nil
}

// read passes the child's reports on, and its end.
func (c *child) read(ctx context.Context, output io.Reader, reports chan<- childReport) {
	pass := func(r childReport) bool {
		r.from = c
		select {
		case reports <- r:
			return true
		case <-ctx.Done():
			return false
		case <-time.After(10 * time.Second): // the parent has what it wants
			return false
		}
	}
	for lines := json.NewDecoder(output); ; {
		var r process.Report
		if err := lines.Decode(&r); err != nil {
			break
		}
		pass(childReport{Report: r})
	}
	err := c.cmd.Wait()
	c.ended <- err
	pass(childReport{failure: errors.Join(errors.New("a child process has ended"), err)})
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) tell(order string) error {
	_, err := fmt.Fprintln(c.input, order)
	return err
}

func (c *child) stop() error {
	_ = c.input.Close()
	return <-c.ended
}

func nextReport(ctx context.Context, reports <-chan childReport) (childReport, error) {
	select {
	case r := <-reports:
		return r, r.failure
	case <-ctx.Done():
		return childReport{}, context.Cause(ctx)
	}
}
