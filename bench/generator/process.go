package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// cost is what a process took, with those that it started and waited for.
type cost struct {
	wall, cpu time.Duration
	memory    int64 // the largest resident set of one of them, in bytes; 0 where the system does not say
}

// measure runs a program to its end in a folder.
func measure(ctx context.Context, dir, program string, args ...string) (cost, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return cost{}, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, output.Bytes())
	}
	state := cmd.ProcessState
	return cost{wall: wall, cpu: state.UserTime() + state.SystemTime(), memory: largestSet(state)}, nil
}
