package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The peers, in the versions that are measured.
const (
	stringerModule = "golang.org/x/tools/cmd/stringer@v0.52.0"
	moqModule      = "github.com/matryer/moq@v0.8.1"
)

// programs are the paths of what is measured.
type programs struct{ self, idem, stringer, moq string }

// build makes the programs, in a folder.
func build(ctx context.Context, dir, root string, peers bool) (p programs, err error) {
	if p.self, err = os.Executable(); err != nil {
		return p, err
	}
	p.idem = filepath.Join(dir, "idem")
	if err := goCommand(ctx, root, dir, "build", "-o", p.idem, "./cmd/idem"); err != nil || !peers {
		return p, err
	}
	p.stringer, p.moq = filepath.Join(dir, "stringer"), filepath.Join(dir, "moq")
	return p, goInstall(ctx, root, dir, stringerModule, moqModule)
}

func goInstall(ctx context.Context, root, bin string, modules ...string) error {
	for _, module := range modules {
		if err := goCommand(ctx, root, bin, "install", module); err != nil {
			return err
		}
	}
	return nil
}

func goCommand(ctx context.Context, dir, bin string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOBIN="+bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %v: %w\n%s", args, err, out)
	}
	return nil
}
