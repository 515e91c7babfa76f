package main

import (
	"os"
	"syscall"
)

// largestSet is the largest resident set of a process and of those that it waited for.
func largestSet(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss * 1024
}
