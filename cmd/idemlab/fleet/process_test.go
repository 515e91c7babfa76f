//go:build unix

package fleet

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const childEnv = "IDEM_FLEET_TEST"

// TestMain serves as the worker process too.
func TestMain(m *testing.M) {
	if mode := os.Getenv(childEnv); mode != "" {
		os.Exit(child(mode))
	}
	goleak.VerifyTestMain(m)
}

func child(mode string) int {
	out := bufio.NewWriter(os.Stdout)
	defer func() { _ = out.Flush() }()
	switch mode {
	case "chatter": // a line each moment until it is told to end
		_ = Serve(context.Background(), func(ctx context.Context) error {
			for i := 0; ctx.Err() == nil; i++ {
				fmt.Println("line", i)
				time.Sleep(time.Millisecond)
			}
			return nil
		})
	case "endless line":
		fmt.Fprintln(out, strings.Repeat("x", 1<<20))
		_ = out.Flush()
		_ = Serve(context.Background(), func(ctx context.Context) error { <-ctx.Done(); return nil })
	default:
		fmt.Fprintln(os.Stderr, strings.Repeat("complaint ", maxStderr))
		return 7
	}
	return 0
}

func start(t *testing.T, mode string, line func([]byte)) *Process {
	p, err := Start(nil, []string{childEnv + "=" + mode}, line)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// next waits for another line.
func next(t *testing.T, lines <-chan string) string {
	select {
	case line := <-lines:
		return line
	case <-time.After(time.Minute):
		t.Fatal("no line came")
		return ""
	}
}

func TestProcessIsStoppedAndKilled(t *testing.T) {
	t.Parallel()
	lines := make(chan string, 1<<16)
	p := start(t, "chatter", func(line []byte) { lines <- string(line) })
	if got := next(t, lines); got != "line 0" {
		t.Errorf("%q", got)
	}
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // what it had written comes in
	for len(lines) > 0 {
		<-lines
	}
	time.Sleep(50 * time.Millisecond)
	if len(lines) > 0 {
		t.Error("a stopped process writes")
	}
	p.Resume()
	next(t, lines)
	if err := p.Failure(); err != nil {
		t.Error(err)
	}
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if err := p.Failure(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("after the kill: %v", err)
	}
	p.Resume()
}

func TestProcessEndsInGoodOrder(t *testing.T) {
	t.Parallel()
	lines := make(chan string, 1<<16)
	p := start(t, "chatter", func(line []byte) { lines <- string(line) })
	next(t, lines)
	p.Close()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestProcessDoesNotBlockOnALineTooLong(t *testing.T) {
	t.Parallel()
	p := start(t, "endless line", func([]byte) {})
	p.Close()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestProcessTellsWhyItFailed(t *testing.T) {
	t.Parallel()
	p := start(t, "fail", func([]byte) {})
	err := p.Wait()
	if err == nil || !strings.Contains(err.Error(), "exit status 7: complaint") || len(err.Error()) > maxStderr+100 {
		t.Errorf("%.200v", err)
	}
}
