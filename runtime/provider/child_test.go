package provider_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// What a child is told by its environment.
const (
	childURL    = "IDEM_TEST_URL"
	childLedger = "IDEM_TEST_LEDGER"
	childWay    = "IDEM_TEST_WAY"   // a key of recovered, or ""
	childPoint  = "IDEM_TEST_POINT" // where it reports, and waits to be killed
	childSkip   = "IDEM_TEST_SKIP"  // of which node it passes the point
)

// childWorker is a worker in a process of its own. It ends with its parent.
func childWorker() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	probe.Set(func(p probe.Point, _, node string) {
		if string(p) == os.Getenv(childPoint) && node != os.Getenv(childSkip) {
			fmt.Println("at", p)
			select {}
		}
	})
	if err := runChild(); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

func runChild() error {
	pool, err := pgxpool.New(context.Background(), os.Getenv(childURL))
	if err != nil {
		return err
	}
	defer pool.Close()
	reg := runtime.NewRegistry()
	p := define(recovered[os.Getenv(childWay)], ledger.Client{URL: os.Getenv(childLedger)})
	runtime.RegisterAction(reg, notify, notifier(p))
	runtime.RegisterAction(reg, recall, recaller(p))
	w, err := runtime.NewWorker(pool, reg, config(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	return w.Run(context.Background())
}

// child is a worker process.
type child struct {
	testing.TB
	cmd   *exec.Cmd
	lines chan string
}

// spawn starts a worker process with a provider of that way, which stops at point.
func (b *bench) spawn(way string, point probe.Point, env ...string) *child {
	b.Helper()
	c := &child{TB: b.TB, cmd: exec.Command(os.Args[0]), lines: make(chan string, 100)}
	c.cmd.Env = append(os.Environ(), childURL+"="+b.pool.Config().ConnString(), childLedger+"="+b.ledger.URL(), childWay+"="+way, childPoint+"="+string(point))
	c.cmd.Env = append(c.cmd.Env, env...)
	c.cmd.Stderr = os.Stderr
	must(c.cmd.StdinPipe())(b)
	stdout := must(c.cmd.StdoutPipe())(b)
	if err := c.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	b.Cleanup(c.kill)
	return c
}

// await reads the child's lines up to one that begins with prefix.
func (c *child) await(prefix string) {
	c.Helper()
	late := time.After(patience)
	for {
		select {
		case line, open := <-c.lines:
			if !open {
				c.Fatalf("the child ended before it said %q", prefix)
			}
			if strings.HasPrefix(line, prefix) {
				return
			}
			c.Logf("the child said %q", line)
		case <-late:
			c.Fatalf("the child never said %q", prefix)
		}
	}
}

// kill ends the child by SIGKILL, once, and waits for it.
func (c *child) kill() {
	if c.cmd.ProcessState != nil {
		return
	}
	_ = c.cmd.Process.Kill()
	for range c.lines { // Wait must not close the pipe before it has been read
	}
	_ = c.cmd.Wait()
}

// dies runs the step in a worker process that is killed at point.
func (b *bench) dies(way string, point probe.Point, env ...string) {
	b.Helper()
	c := b.spawn(way, point, env...)
	c.await("at ")
	c.kill()
}

// eachRecovered is [onEach] for tests whose first worker is a process with the same provider.
func eachRecovered(t *testing.T, test func(t *testing.T, b *bench, name string)) {
	for name := range recovered {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newBench(t), name)
		})
	}
}

// Nothing was sent: another worker sends it, once.
func TestKilledAfterPrepare(t *testing.T) {
	eachRecovered(t, func(t *testing.T, b *bench, name string) {
		run := b.enqueue()
		b.dies(name, probe.IntentAfterPrepare)
		b.asked(0, 0)
		b.went(b.intent().Key, provider.StatePrepared)
		b.expire(run)
		b.notifies(recovered[name])
		b.work()
		b.completed(run, 1)
		b.asked(1, 1)
		b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
	})
}

// The provider has done it, and the worker died with the answer in its hand.
func TestKilledAfterTheProviderAccepted(t *testing.T) {
	eachRecovered(t, func(t *testing.T, b *bench, name string) {
		run := b.enqueue()
		b.dies(name, probe.IntentAfterAnswer)
		b.asked(1, 1)
		b.went(b.intent().Key, provider.StatePrepared)
		b.expire(run)
		b.notifies(recovered[name])
		b.work()
		b.completed(run, 1)
		b.found(name)
		b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
	})
}

// found: a lookup makes a second request needless; without one, it is the same key.
func (b *bench) found(name string) {
	b.Helper()
	if recovered[name].lookup {
		b.asked(1, 1)
	} else {
		b.asked(2, 1)
	}
}

// The provider has done it, and its answer is not there yet.
func TestKilledWhileTheAnswerIsLost(t *testing.T) {
	eachRecovered(t, func(t *testing.T, b *bench, name string) {
		b.ledger.Next(ledger.Hang)
		run := b.enqueue()
		c := b.spawn(name, "")
		b.eventually("the ledger has done it", func() bool { return b.ledger.Effects("") == 1 })
		c.kill()
		b.went(b.intent().Key, provider.StatePrepared)
		b.expire(run)
		b.notifies(recovered[name])
		b.work()
		b.completed(run, 1)
		b.found(name)
		b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
	})
}

// The receipt is stored before the completion: nothing is asked for again, whatever the provider offers.
func TestKilledBeforeTheCompletion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := b.enqueue()
	b.dies("", probe.CompleteBeforeFence)
	b.asked(1, 1)
	b.expire(run)
	b.notifies(neither)
	b.work()
	b.completed(run, 1)
	b.asked(1, 1)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateConfirmed)
}

// A provider with neither a window nor a lookup: nobody can know, so nothing is sent, not even what never was.
func TestKilledAfterPrepareWithoutAnyWayToKnow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := b.enqueue()
	b.dies("", probe.IntentAfterPrepare)
	b.expire(run)
	b.notifies(neither)
	b.work()
	b.is(b.waits(run), runtime.StatePending, runtime.ReasonWaiting, 1, 1)
	b.asked(0, 0)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown)
}
