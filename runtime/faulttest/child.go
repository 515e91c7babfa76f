package faulttest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// childEnv tells a process of the test binary that it is a worker, and which one.
const childEnv = "IDEM_FAULTTEST_WORKER"

// task is what a worker process is told.
type task struct {
	Test  string // its name
	Node  string
	URL   string
	Run   runtime.Run
	Point probe.Point // where it reports and stops; "" for nowhere
}

// What a worker process writes to its third file, a line each.
const (
	lineRuns = "runs"     // the handler is called
	lineAt   = "at"       // the point is reached, and nothing will happen any more
	lineFail = "cannot: " // it cannot work, and why
)

// childOf makes this process a worker when it was started as one. It then returns only for the other handlers of
// the test, whose turn it is not.
func childOf(t *testing.T, s *subject) bool {
	spec := os.Getenv(childEnv)
	if spec == "" {
		return false
	}
	var k task
	if err := json.Unmarshal([]byte(spec), &k); err != nil {
		t.Fatalf("faulttest: %s: %v", childEnv, err)
	}
	if k.Test == t.Name() && k.Node == s.node {
		k.work(t, s)
	}
	return true
}

// work runs a worker until the process is killed, or its parent is gone.
func (k task) work(t *testing.T, s *subject) {
	parent := os.NewFile(3, "parent")
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	probe.Set(func(p probe.Point, runID, _ string) {
		if p == k.Point && runID == k.Run.ID {
			_, _ = fmt.Fprintln(parent, lineAt)
			select {}
		}
	})
	fail := func(err error) {
		_, _ = fmt.Fprintf(parent, "%s%q\n", lineFail, fmt.Sprint(err))
		os.Exit(1)
	}
	pool, err := pgxpool.New(context.Background(), k.URL)
	if err != nil {
		fail(err)
	}
	tr := &trial{
		suite: &suite{subject: s, run: k.Run}, tb: t, ctx: context.Background(), url: k.URL, pool: pool, events: newEvents(),
		fault: &fault{around: func(x *execution) (any, error) {
			_, _ = fmt.Fprintln(parent, lineRuns)
			return x.handler()
		}},
	}
	tr.limits = tr.defaults()
	tr.bound = s.bind(&F{TB: t, Pool: pool})
	<-tr.work(sweeping).done
	fail(fmt.Errorf("the worker ended: %v", tr.found()))
}
