//go:build unix

package pgtest

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// maxSocketPath is what the shortest sockaddr_un of the systems we run on holds, its closing zero aside.
const maxSocketPath = 103

// scriptEnv hands the shell its script: as an argument it would fill the screen of whoever lists processes.
const scriptEnv = "IDEM_PGTEST_KEEPER"

//go:embed keeper.sh
var keeperScript string

// keeper is the shell that owns a server's process and directory. It runs in a session of its own, so that Ctrl-C at the
// terminal does not reach it, and holds none of our open files but its two pipes, so that nobody waits for it.
type keeper struct {
	dir string

	mu  sync.Mutex // one command and its answer at a time
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startKeeper starts the shell in the first directory where its user can make one.
func startKeeper(bin string, durable bool, args []string) (*keeper, error) {
	cred, err := credential()
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, parent := range parents(durable) {
		k, err := startKeeperIn(parent, bin, args, cred)
		if err == nil {
			return k, nil
		}
		failures = append(failures, err)
	}
	return nil, &ServerError{Op: "making a directory", Err: errors.Join(failures...)}
}

func startKeeperIn(parent, bin string, args []string, cred *syscall.Credential) (*keeper, error) {
	if len(filepath.Join(parent, "idem-pg-XXXXXX", ".s.PGSQL.65535")) > maxSocketPath {
		return nil, fmt.Errorf("%s: too long for a socket's path", parent)
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", `eval "$` + scriptEnv + `"`, "idem-pgtest", parent, bin}, args...)...)
	cmd.Dir = "/" // the current directory may be closed to the user that the server runs as
	cmd.Env = append(environment(), scriptEnv+"="+keeperScript)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: cred}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting /bin/sh: %w", err)
	}
	k := &keeper{cmd: cmd, in: in, out: bufio.NewReader(out)}
	answer, err := k.out.ReadString('\n')
	dir, ok := strings.CutPrefix(strings.TrimSpace(answer), "dir ")
	if !ok {
		k.leave()
		return nil, refusal(answer, err, parent, bin)
	}
	k.dir = dir
	return k, nil
}

func refusal(answer string, err error, parent, bin string) error {
	switch strings.TrimSpace(answer) {
	case "denied":
		return fmt.Errorf("%s: the server's user may not run its binaries", bin)
	case "unwritable":
		return fmt.Errorf("%s: the server's user may not write there", parent)
	}
	return fmt.Errorf("the shell that keeps the server said %q: %w", answer, err)
}

// ask sends one command and waits for its answer: the text after "ok", or an error.
func (k *keeper) ask(ctx context.Context, command string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in == nil {
		return "", ErrStopped
	}
	// Nothing shorter than the end of the shell frees us from a command that does not return.
	defer context.AfterFunc(ctx, func() { _ = k.cmd.Process.Signal(syscall.SIGTERM) })()
	if _, err := io.WriteString(k.in, command+"\n"); err != nil {
		return "", fmt.Errorf("the shell that keeps the server is gone: %w", err)
	}
	answer, err := k.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the shell that keeps the server is gone: %w", errors.Join(ctx.Err(), err))
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(answer), "ok")
	if !ok {
		return "", errFailed
	}
	return strings.TrimSpace(text), nil
}

// leave ends the shell, and with it the server and its directory, and waits for that.
func (k *keeper) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in == nil {
		return
	}
	_ = k.in.Close()
	_ = k.cmd.Wait() // its status says nothing that the missing directory would not
	k.in = nil
}

// credential is the user to run the server as: our own, unless that is root.
func credential() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "_postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("a Postgres server cannot run as root, and there is neither a user postgres nor nobody to run it as; " +
		"create one, or set " + EnvURL)
}

// parents are the places to try for the server's directory. TMPDIR comes first when it is set; it may be closed to the
// server's user, or its path too long for a socket. What need not survive is fastest in memory.
func parents(durable bool) []string {
	var list []string
	if dir := os.Getenv("TMPDIR"); dir != "" {
		list = append(list, filepath.Clean(dir))
	}
	if !durable && roomInMemory() {
		list = append(list, memory)
	}
	return append(list, "/tmp", "/var/tmp")
}

// environment is ours without what would change how initdb and postgres behave.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "PG") || strings.HasPrefix(kv, "LC_") || strings.HasPrefix(kv, "LANG")
	})
	return append(env, "LC_ALL=C")
}
