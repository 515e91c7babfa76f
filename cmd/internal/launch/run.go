package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/idem-go/idem/cmd/internal/cli"
)

// Env is set for a launched program, which is to end in good order when its standard input closes. That happens when the
// command is told to end, by whatever signal on whatever system, and with the command, however that ends.
const Env = "IDEM_LAUNCHED"

// Run builds the program, a package of idem's module, and runs it. What it says is said by the command, and so is its
// exit status: the error is then a [cli.Status]. Nothing of it is left behind.
func Run(ctx context.Context, c *cli.Console, program string, args []string) (err error) {
	dir, err := os.MkdirTemp(c.Env("GOTMPDIR"), "idem-launch-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file, err := build(ctx, c, program, dir)
	if err != nil {
		return err
	}
	return start(ctx, c, file, args)
}

// start runs the executable until it ends.
func start(ctx context.Context, c *cli.Console, file string, args []string) error {
	cmd := exec.Command(file, args...)
	cmd.Env = append(os.Environ(), Env+"=1")
	cmd.Stdout, cmd.Stderr = c.Out, c.Err
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = stdin.Close() })()
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return cli.Status(exit.ExitCode())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
