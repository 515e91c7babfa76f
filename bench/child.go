package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/idem-go/idem/bench/ledger"
	idem "github.com/idem-go/idem/runtime"
)

// Some measurements need worker processes of their own: this program, started again with what it is to do in its
// environment. It takes orders on its standard input, one a line, and stops when that ends; it reports on its standard
// output.

const childEnv = "IDEM_BENCH_CHILD"

const (
	childWork = "work" // run a worker; report how many steps it has completed
	childHold = "hold" // claim steps and keep them until told "release"; report the memory that it takes
)

// childTask is the value of childEnv.
type childTask struct {
	Kind, URL string
	Claims    int
}

// childReport is a line of a child's output.
type childReport struct {
	Steps   int     // completed, or held
	Before  float64 // memory before the first step, in MiB
	Memory  float64 // with all of them
	Heap    float64 // of which the heap's, after a collection
	Stacks  float64 // and the goroutines' stacks
	from    *child
	failure error
}

// child is one such process, seen from its parent.
type child struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	ended chan error
}

func startChild(ctx context.Context, kind, url string, claims int, reports chan<- childReport) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	task, err := json.Marshal(childTask{Kind: kind, URL: url, Claims: claims})
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, self), ended: make(chan error, 1)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+string(task))
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
		var r childReport
		if err := lines.Decode(&r); err != nil {
			break
		}
		pass(r)
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

// runChild is the child's side.
func runChild(task string, in io.Reader, out io.Writer) error {
	var t childTask
	if err := json.Unmarshal([]byte(task), &t); err != nil {
		return err
	}
	orders := bufio.NewScanner(in)
	if !orders.Scan() { // the parent says when to begin
		return orders.Err()
	}
	if t.Kind == childHold {
		return t.hold(orders, out)
	}
	return t.work(orders, out)
}

func (t childTask) work(orders *bufio.Scanner, out io.Writer) error {
	var completed atomic.Int64
	ctx, stop, err := recorded.start(context.Background(), t.URL, func(e idem.Event) {
		if e.Kind == idem.EventCompleted {
			completed.Add(1)
		}
	})
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	go func() {
		orders.Scan()
		end()
	}()
	reports := json.NewEncoder(out)
	for last := int64(0); sleep(ctx, 10*time.Millisecond) == nil; {
		if n := completed.Load(); n != last {
			last = n
			if err := reports.Encode(childReport{Steps: int(n)}); err != nil {
				break
			}
		}
	}
	return stop()
}

// hold measures the memory of a worker all of whose places are taken.
func (t childTask) hold(orders *bufio.Scanner, out io.Writer) error {
	release, held := make(chan struct{}), newTally(t.Claims)
	run := idemRun{config: idem.Config{Queues: map[string]int{idem.DefaultQueue: t.Claims}}}
	run.register = func(r *idem.Registry) {
		idem.RegisterAction(r, ledger.RecordAction, func(ctx idem.Context, in ledger.Charge) error {
			held.add()
			select {
			case <-release:
			case <-ctx.Done():
				return ctx.Err()
			}
			return ledger.Record(ctx, in)
		})
	}
	report := childReport{Steps: t.Claims, Before: memory()}
	completed := newTally(t.Claims)
	ctx, stop, err := run.start(context.Background(), t.URL, func(e idem.Event) {
		if e.Kind == idem.EventCompleted {
			completed.add()
		}
	})
	if err != nil {
		return err
	}
	if err := held.wait(ctx); err != nil {
		return errors.Join(err, stop())
	}
	report.Memory = memory()
	report.Heap, report.Stacks = heapAndStacks()
	if err := json.NewEncoder(out).Encode(report); err != nil {
		return errors.Join(err, stop())
	}
	if orders.Scan() && strings.TrimSpace(orders.Text()) == "release" {
		close(release)
		err = completed.wait(ctx)
	}
	return errors.Join(err, stop())
}

// memory is what the process occupies, in MiB: all of it that the system counts, or else what Go has asked for.
func memory() float64 {
	if m := residentMiB(); m > 0 {
		return m
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / (1 << 20)
}

// heapAndStacks are what is in use after a collection, in MiB.
func heapAndStacks() (heap, stacks float64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20), float64(m.StackInuse) / (1 << 20)
}
