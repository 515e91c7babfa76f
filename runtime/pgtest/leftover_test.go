//go:build unix

package pgtest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/pgtest"
)

func timeout(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// running reports whether a process exists and is more than a zombie.
func running(pid int) bool {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) || !isDir("/proc/self")
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

const childEnv = "IDEM_PGTEST_CHILD"

// TestChild is the process that the tests below kill. It does nothing in an ordinary run.
func TestChild(t *testing.T) {
	way := os.Getenv(childEnv)
	if way == "" {
		t.Skip("only for a process started by another test")
	}
	pool := pgtest.New(t)
	exec(t, pool, "CREATE TABLE t ()")
	s, err := pgtest.Shared(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(pgtest.EnvURL) != "" {
		fmt.Printf("database %s\n", pool.Config().ConnConfig.Database)
	} else {
		pid, err := s.Postmaster()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("server %d %s\n", pid, s.Dir())
	}
	switch way {
	case "fatal":
		t.Fatal("as asked")
	case "panic":
		panic("as asked")
	case "goroutine":
		go panic("as asked")
	case "exit":
		os.Exit(7)
	case "pass":
		return
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or told to end
}

// child is a run of [TestChild].
type child struct {
	cmd   *osexec.Cmd
	stdin io.Closer
	out   *bufio.Reader
}

func startChild(t *testing.T, way string, change func(*osexec.Cmd)) *child {
	t.Helper()
	cmd := osexec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(os.Environ(), childEnv+"="+way)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if change != nil {
		change(cmd)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &child{cmd, stdin, bufio.NewReader(stdout)}
}

// line reads what the child says after word.
func (c *child) line(t *testing.T, word string) string {
	t.Helper()
	var said strings.Builder
	for {
		line, err := c.out.ReadString('\n')
		if rest, ok := strings.CutPrefix(line, word+" "); ok {
			return strings.TrimSpace(rest)
		}
		said.WriteString(line)
		if err != nil {
			t.Fatalf("the child said no %q but: %s", word, said.String())
		}
	}
}

func (c *child) server(t *testing.T) (pid int, dir string) {
	t.Helper()
	first, dir, _ := strings.Cut(c.line(t, "server"), " ")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid, dir
}

// wait reads the child's output to its end: a server that held it would make this hang, as it would hang go test.
func (c *child) wait(t *testing.T) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, c.out)
		_ = c.cmd.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("something still holds the child's output")
	}
}

// eventually waits for what happens after a process is gone.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain waited for: %s", what)
		}
	}
}

func nothingRemains(t *testing.T, pid int, dir string) {
	t.Helper()
	eventually(t, "the server to end", func() bool { return !running(pid) })
	eventually(t, "the directory to go", func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, os.ErrNotExist)
	})
}

func TestNothingRemainsOfAProcessThat(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "")
	ends := map[string]func(c *child) error{
		"pass": nil, "fatal": nil, "panic": nil, "goroutine": nil, "exit": nil,
		"is killed":      func(c *child) error { return c.cmd.Process.Kill() },
		"is interrupted": func(c *child) error { return syscall.Kill(-c.cmd.Process.Pid, syscall.SIGINT) }, // Ctrl-C
		"is terminated":  func(c *child) error { return syscall.Kill(-c.cmd.Process.Pid, syscall.SIGTERM) },
	}
	for way, end := range ends {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			c := startChild(t, way, nil)
			pid, dir := c.server(t)
			if end != nil {
				if !running(pid) || !isDir(dir) {
					t.Fatal("the server is not where the child says")
				}
				if err := end(c); err != nil {
					t.Fatal(err)
				}
			}
			c.wait(t)
			nothingRemains(t, pid, dir)
		})
	}
}

func TestNothingRemainsWhenTheServerDiedFirst(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "")
	c := startChild(t, "is killed", nil)
	pid, dir := c.server(t)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wait(t)
	nothingRemains(t, pid, dir)
}

func TestNothingRemainsWhenKilledDuringInitdb(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "")
	parent := openDir(t)
	c := startChild(t, "is killed", func(cmd *osexec.Cmd) { cmd.Env = append(cmd.Env, "TMPDIR="+parent) })
	found := func() []string {
		dirs, _ := filepath.Glob(filepath.Join(parent, "idem-pg-*", "data", "base"))
		return dirs
	}
	eventually(t, "initdb to begin", func() bool { return len(found()) > 0 })
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wait(t)
	eventually(t, "the directory to go", func() bool {
		dirs, _ := filepath.Glob(filepath.Join(parent, "idem-pg-*"))
		return len(dirs) == 0
	})
}

// openDir is a temporary directory that every user may use, parents included, and that is short enough for sockets.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pgtest-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTMPDIRThatWillNotDo(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "")
	closed := openDir(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(openDir(t), strings.Repeat("d", 90))
	if err := os.Mkdir(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	for what, dir := range map[string]string{"closed": closed, "too long": deep, "missing": "/no/such/directory"} {
		t.Run(what, func(t *testing.T) {
			if what == "closed" && os.Geteuid() != 0 {
				t.Skip("only root runs its server as somebody else")
			}
			t.Setenv("TMPDIR", dir)
			s := pgtest.Own(t)
			if strings.HasPrefix(s.Dir(), dir) {
				t.Errorf("the server is in %s", s.Dir())
			}
			if n := count(t, s.New(t), "SELECT 1"); n != 1 {
				t.Error(n)
			}
		})
	}
}

func TestTMPDIRIsUsedWhereItWillDo(t *testing.T) {
	dir := openDir(t)
	t.Setenv("TMPDIR", dir)
	if s := pgtest.Own(t); filepath.Dir(s.Dir()) != dir {
		t.Errorf("the server is in %s, not in %s", s.Dir(), dir)
	}
}

func TestNotAsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this process is not root already: the other tests show it")
	}
	t.Setenv(pgtest.EnvURL, "")
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	binary := filepath.Join(openDir(t), "test")
	text, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(binary, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := startChild(t, "is killed", func(cmd *osexec.Cmd) {
		cmd.Path, cmd.Dir = binary, "/"
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	})
	pid, dir := c.server(t)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != uint32(uid) {
		t.Errorf("the directory belongs to %d", owner)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wait(t)
	nothingRemains(t, pid, dir)
}
