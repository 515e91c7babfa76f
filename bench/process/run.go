package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
	"github.com/idem-go/idem/runtime"
)

// Run is a worker process: it does its task, and takes orders from in and reports to out meanwhile.
func Run(task string, in io.Reader, out io.Writer) error {
	var t Task
	if err := json.Unmarshal([]byte(task), &t); err != nil {
		return fmt.Errorf("%s must have a task, as bench sets it: %w", TaskVariable, err)
	}
	do := map[Kind]func(Task, *bufio.Scanner, io.Writer) error{Work: work, Hold: hold}[t.Kind]
	if do == nil {
		return fmt.Errorf("%s has the kind %q; there are %q and %q", TaskVariable, t.Kind, Work, Hold)
	}
	orders := bufio.NewScanner(in)
	if !orders.Scan() { // the parent says when to begin
		return orders.Err()
	}
	return do(t, orders, out)
}

func work(t Task, orders *bufio.Scanner, out io.Writer) error {
	var completed atomic.Int64
	ctx, stop, err := Start(context.Background(), t.URL, ledger.RegisterRecord, runtime.Config{
		Observer: completions(func() { completed.Add(1) }),
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
	for last := int64(0); await.Sleep(ctx, 10*time.Millisecond) == nil; {
		if n := completed.Load(); n != last {
			last = n
			if err := reports.Encode(Report{Steps: int(n)}); err != nil {
				break
			}
		}
	}
	return stop()
}

// hold measures the memory of a worker all of whose places are taken.
func hold(t Task, orders *bufio.Scanner, out io.Writer) error {
	report := Report{Steps: t.Claims, Before: memory()}
	held, completed := await.NewTally(t.Claims), await.NewTally(t.Claims)
	release := make(chan struct{})
	ctx, stop, err := Start(context.Background(), t.URL, recordAfter(release, held.Add), runtime.Config{
		Queues:   map[string]int{runtime.DefaultQueue: t.Claims},
		Observer: completions(completed.Add),
	})
	if err != nil {
		return err
	}
	err = held.Wait(ctx)
	if err == nil {
		report.Memory = memory()
		report.Heap, report.Stacks = heapAndStacks()
		err = json.NewEncoder(out).Encode(report)
	}
	if err == nil && orders.Scan() && strings.TrimSpace(orders.Text()) == Release {
		close(release)
		err = completed.Wait(ctx)
	}
	return errors.Join(err, stop())
}

// recordAfter registers ledger.Record, which waits for its release.
func recordAfter(release <-chan struct{}, held func()) func(*runtime.Registry) {
	return func(r *runtime.Registry) {
		runtime.RegisterAction(r, ledger.RecordAction, func(ctx runtime.Context, in ledger.Charge) error {
			held()
			select {
			case <-release:
			case <-ctx.Done():
				return ctx.Err()
			}
			return ledger.Record(ctx, in)
		})
	}
}

// completions calls done for each step that is completed.
func completions(done func()) runtime.Observer {
	return runtime.ObserverFunc(func(e runtime.Event) {
		if e.Kind == runtime.EventCompleted {
			done()
		}
	})
}
