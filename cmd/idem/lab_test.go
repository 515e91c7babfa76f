//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// soaking starts a soak by the command, in a process of its own, and waits until it is under way.
func soaking(t *testing.T, tmp string) (cmd *exec.Cmd, out *bufio.Reader, complaint *bytes.Buffer) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program, and starts a server and some processes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	complaint = &bytes.Buffer{}
	cmd = &exec.Cmd{
		Path: self, Args: []string{"idem", "soak", "--duration", "1h", "--workers", "1"},
		Env: append(os.Environ(), "TMPDIR="+tmp), Stderr: complaint,
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	out = bufio.NewReader(pipe)
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("the soak did not begin: %v\n%s", err, complaint)
		}
		if strings.HasPrefix(line, "Seed ") {
			return cmd, out, complaint
		}
	}
}

// TestLaunchedProgramStopsWithTheCommand: a signal to the command alone ends everything in good order.
func TestLaunchedProgramStopsWithTheCommand(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd, out, complaint := soaking(t, tmp)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	exit, ok := errors.AsType[*exec.ExitError](cmd.Wait())
	if !ok || exit.ExitCode() != 3 || complaint.String() != "idem: interrupted\n" {
		t.Errorf("%v, %q", exit, complaint)
	}
	if left := in(t, tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestLaunchedProgramIsNoOrphan: it ends in good order, with its server and its workers, when the command is killed.
func TestLaunchedProgramIsNoOrphan(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd, out, _ := soaking(t, tmp)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, out) // until the program has ended, which shares its output
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the program goes on")
	}
	_ = cmd.Wait()
	// Only a killed command's own folder, with the program, stays.
	if left := in(t, tmp); len(left) != 1 || !strings.HasPrefix(filepath.Base(left[0]), "idem-launch-") {
		t.Errorf("left behind: %v", left)
	}
}

func in(t *testing.T, dir string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}
