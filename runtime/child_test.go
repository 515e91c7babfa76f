package runtime

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/probe"
)

const childEnv = "IDEM_TEST_CHILD"

// children are what the test binary does when it is started as a child of a test.
var children = map[string]func(){"worker": childWorker}

// What a child is told by its environment.
const (
	childURL   = "IDEM_TEST_URL"
	childWay   = "IDEM_TEST_WAY"
	childPoint = "IDEM_TEST_POINT" // where it reports and waits for a line on its standard input
	childLease = "IDEM_TEST_LEASE" // not empty: its lease and its handler's timeout are short
)

// childWorker is a worker in a process of its own. It prints a line at its point and for each event, and it
// ends with its parent.
func childWorker() {
	input := bufio.NewScanner(os.Stdin)
	proceed := make(chan struct{})
	go func() {
		for input.Scan() {
			proceed <- struct{}{}
		}
		os.Exit(0)
	}()
	probe.Set(func(p probe.Point, _, _ string) {
		if string(p) == os.Getenv(childPoint) {
			fmt.Println("at", p)
			<-proceed
		}
	})
	cfg, timeout := slow(), 30*time.Second
	if os.Getenv(childLease) != "" {
		cfg, timeout = quick(), testTimeout
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.Observer = ObserverFunc(func(e Event) { fmt.Println("event", e.Kind) })
	if err := runChild(os.Getenv(childURL), os.Getenv(childWay), timeout, cfg); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

func runChild(url, way string, timeout time.Duration, cfg Config) error {
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		return err
	}
	defer pool.Close()
	reg := NewRegistry()
	RegisterAction(reg, NewAction[charge](way, WithTimeout(timeout)), charger(way, pool))
	w, err := NewWorker(pool, reg, cfg)
	if err != nil {
		return err
	}
	return w.Run(context.Background())
}

// child is a worker process.
type child struct {
	testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string
}

// spawn starts a worker process that stops at point.
func (b *bench) spawn(way string, point probe.Point, env ...string) *child {
	b.Helper()
	c := &child{TB: b.TB, cmd: exec.Command(os.Args[0]), lines: make(chan string, 1000)}
	c.cmd.Env = append(os.Environ(), childEnv+"=worker", childURL+"="+b.pool.Config().ConnString(), childWay+"="+way, childPoint+"="+string(point))
	c.cmd.Env = append(c.cmd.Env, env...)
	c.cmd.Stderr = os.Stderr
	c.stdin = must[io.WriteCloser](b)(c.cmd.StdinPipe())
	stdout := must[io.ReadCloser](b)(c.cmd.StdoutPipe())
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
		case <-late:
			c.Fatalf("the child never said %q", prefix)
		}
	}
}

// proceed lets the child go on from its point.
func (c *child) proceed() {
	c.Helper()
	if _, err := io.WriteString(c.stdin, "\n"); err != nil {
		c.Fatal(err)
	}
}

func (c *child) signal(s syscall.Signal) {
	c.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.Fatal(err)
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
