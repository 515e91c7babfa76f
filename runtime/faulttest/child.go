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
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/provider/ledger"
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
	Stop  stop        // the same, at a call

	Ledger string          // its address
	Relay  json.RawMessage `json:",omitempty"` // a table: the process is a relay of it, and no worker
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
	k.Stop.reached = func() {
		_, _ = fmt.Fprintln(parent, lineAt)
		select {}
	}
	probe.Set(func(p probe.Point, runID, _ string) {
		if p == k.Point && (runID == k.Run.ID || k.Relay != nil) {
			k.Stop.reached()
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
	if k.Relay != nil {
		fail(k.relay())
	}
	tr.connect(k.Ledger, &F{TB: t, Pool: pool})
	tr.outside.stop = k.Stop
	<-tr.work(sweeping).done
	fail(fmt.Errorf("the worker ended: %v", tr.found()))
}

// relay relays the commands of the task's table, one at a time, until the process is killed.
func (k task) relay() error {
	var t outbox.Table
	if err := json.Unmarshal(k.Relay, &t); err != nil {
		return err
	}
	return runRelay(context.Background(), k.URL, &t, ledger.Client{URL: k.Ledger}, &relaying{}, 1)
}
