package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idem-go/idem/gen/diag"
)

// The exit statuses.
const (
	exitFine     = 0
	exitFindings = 1
	exitUsage    = 2
	exitInternal = 3
)

// errFindings ends a command that has said already what a person must put right.
var errFindings = errors.New("findings")

// refusal is what a person must put right, in a sentence.
type refusal struct{ message string }

func (e *refusal) Error() string { return e.message }

func refusef(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

// usageError is a command line that makes no sense.
type usageError struct {
	cmd     *command
	message string
}

func (e *usageError) Error() string { return e.message }

func usagef(cmd *command, format string, args ...any) error {
	return &usageError{cmd, fmt.Sprintf(format, args...)}
}

// report tells the error and gives the exit status.
func (c *console) report(ctx context.Context, err error) int {
	if err == nil {
		return exitFine
	}
	if errors.Is(err, errFindings) {
		return exitFindings
	}
	if ctx.Err() != nil {
		fmt.Fprintln(c.err, "idem: interrupted")
		return exitInternal
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintf(c.err, "%s: %s\n", usage.cmd.name, redact(usage.message))
		fmt.Fprintf(c.err, "usage: %s\n%s\n", usage.cmd.usage(), usage.cmd.more())
		return exitUsage
	}
	if list, ok := errors.AsType[diag.List](err); ok {
		_ = shorten(list).WriteText(c.err)
		return exitFindings
	}
	fmt.Fprintf(c.err, "idem: %s\n", redact(err.Error()))
	if _, ok := errors.AsType[*refusal](err); ok {
		return exitFindings
	}
	return exitInternal
}

// shorten words the positions relative to the working directory.
func shorten(list diag.List) diag.List {
	list = slices.Clone(list)
	for i := range list {
		list[i].Pos.File = shortPath(list[i].Pos.File)
	}
	return list
}
