package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/idem-go/idem/cmd/internal/cli"
)

// ErrNoGo is returned where there is no go command.
var ErrNoGo = errors.New("this verb's program is built when it is asked for, and there is no go command on the PATH:" +
	" install Go (https://go.dev/dl), or add its directory to the PATH")

// SourceError is returned where the source of the program cannot be had.
type SourceError struct {
	Program string
	Reason  string // in the words of the go command
}

// Error implements error.
func (e *SourceError) Error() string {
	return fmt.Sprintf(`this verb's program is built when it is asked for, and cannot be built here.
The go command says:
%s
In a module that uses idem, run 'go get -tool %s' first, and then 'go mod vendor' if the module is
vendored; or run the verb in a clone of https://github.com/idem-go/idem .`, e.Reason, e.Program)
}

// build makes an executable of the program in dir. The source is that of the module in which the command was called, be
// it idem's own or one that requires idem, if it has the program with all that it needs in the command's own version;
// else it is that version as it was released.
func build(ctx context.Context, c *cli.Console, program, dir string) (file string, err error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", ErrNoGo
	}
	info, _ := debug.ReadBuildInfo()
	own := released(info)
	at, missing := find(ctx, program)
	switch {
	case missing == nil && (at == here || own == "" || at == own):
		// A program that lives for a moment needs no stamp, and a checkout whose git is not to be had is no obstacle.
		err = goCommand(ctx, c, nil, "build", "-buildvcs=false", "-o", dir+string(filepath.Separator), program)
	case own != "":
		// Nothing of the module around counts for a version as released, nor does a -mod=vendor in GOFLAGS.
		err = goCommand(ctx, c, []string{"GOBIN=" + dir}, "install", "-mod=mod", program+"@"+own)
		if err != nil && ctx.Err() == nil {
			err = &SourceError{program, fmt.Sprintf("%v, as above, of %s@%s", err, program, own)}
		}
	case missing != nil:
		err = missing
	}
	if err != nil {
		return "", err
	}
	built, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(built) != 1 {
		return "", fmt.Errorf("the go command has left %q in %s, not one program: %w", built, dir, err)
	}
	return built[0], nil
}

// released returns the version in which the go command finds what the running command is made of; "": in none, since it
// was built from a checkout.
func released(info *debug.BuildInfo) string {
	if info == nil || info.Main.Replace != nil || info.Main.Version == "(devel)" || strings.Contains(info.Main.Version, "+dirty") {
		return ""
	}
	return info.Main.Version
}

// here is the version of a program that stands in a directory.
const here = "here"

// find returns the version of the program in the module of the working directory. An error says that this module has not
// got it, or not all that it needs.
func find(ctx context.Context, program string) (version string, err error) {
	format := fmt.Sprintf(`{{if eq .ImportPath %q}}{{with .Module}}{{if or .Main .Replace}}%s{{else}}{{.Version}}{{end}}{{end}}{{end}}`, program, here)
	var out, complaint bytes.Buffer
	cmd := command(ctx, "list", "-deps", "-f", format, program)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", &SourceError{program, strings.TrimSpace(complaint.String())}
	}
	return strings.TrimSpace(out.String()), nil
}

// goCommand runs the go command, which tells the person what it does.
func goCommand(ctx context.Context, c *cli.Console, env []string, args ...string) error {
	cmd := command(ctx, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = c.Err, c.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	return nil
}

// goEnds is how long the go command may take to end when it is told to.
const goEnds = 5 * time.Second

// command is a call of the go command, which ends in good order with ctx where the system can ask it to.
func command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Cancel = func() error {
		if cmd.Process.Signal(os.Interrupt) == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = goEnds
	return cmd
}
