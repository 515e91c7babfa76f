package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestWorkerProgramIsBuiltOnce(t *testing.T) {
	var p workerProgram
	first, err := p.path(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first); err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir()) // where there is no go command
	if second, err := p.path(t.Context()); err != nil || second != first {
		t.Errorf("first %s, then %s: %v", first, second, err)
	}
	p.remove()
	if _, err := os.Stat(p.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
}

func TestWorkerProgramNeedsGoAndItsModule(t *testing.T) {
	t.Run("module", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if _, err := new(workerProgram).path(t.Context()); err == nil || !strings.Contains(err.Error(), "must run in the folder of its own module") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("go", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := new(workerProgram).path(t.Context()); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "put that on the PATH") {
			t.Errorf("got %v", err)
		}
	})
}
