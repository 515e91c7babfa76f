package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// workerPackage is the program of the worker processes.
const workerPackage = "github.com/idem-go/idem/bench/process/worker"

// workerProgram is that program, which is built once for a whole run.
type workerProgram struct{ dir string }

// path is where the program is. The first call builds it: a measurement asks before it prepares anything.
func (p *workerProgram) path(ctx context.Context) (string, error) {
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "idem-bench-")
		if err != nil {
			return "", err
		}
		if err := buildWorker(ctx, dir); err != nil {
			return "", errors.Join(err, os.RemoveAll(dir))
		}
		p.dir = dir
	}
	return filepath.Join(p.dir, filepath.Base(workerPackage)), nil
}

func (p *workerProgram) remove() { _ = os.RemoveAll(p.dir) }

// buildWorker makes the program in a folder. This process runs in the folder of its own module, which knows the package.
func buildWorker(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), workerPackage)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("worker processes are a program of their own, which the go command builds; put that on the PATH: %w", err)
	}
	return fmt.Errorf("building the program of worker processes; this one must run in the folder of its own module: %v: %w\n%s", cmd, err, out)
}
