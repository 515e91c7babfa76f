//go:build unix

package fleet

import (
	"os"
	"syscall"
)

func pause(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

func resume(p *os.Process) { _ = p.Signal(syscall.SIGCONT) }
