//go:build !unix

package fleet

import (
	"errors"
	"fmt"
	"os"
)

func pause(*os.Process) error {
	return fmt.Errorf("stop a process for a while: %w", errors.ErrUnsupported)
}

func resume(*os.Process) {}
