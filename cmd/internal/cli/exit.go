package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idem-go/idem/gen/diag"
)

// The exit statuses.
const (
	ExitFine     = 0
	ExitFindings = 1
	ExitUsage    = 2
	ExitInternal = 3
)

// Status ends a command with an exit status, without a word: all has been said.
type Status int

// Error implements error.
func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// ErrFindings ends a command that has said already what a person must put right.
const ErrFindings = Status(ExitFindings)

// refusal is what a person must put right, in a sentence.
type refusal struct{ message string }

func (e *refusal) Error() string { return e.message }

// Refusef returns an error about what a person must put right.
func Refusef(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

// usageError is a command line that makes no sense.
type usageError struct {
	cmd     *Command
	message string
}

func (e *usageError) Error() string { return e.message }

// Usagef returns an error about a command line that makes no sense.
func (cmd *Command) Usagef(format string, args ...any) error {
	return &usageError{cmd, fmt.Sprintf(format, args...)}
}

// Report tells the error and returns the exit status.
func (c *Console) Report(ctx context.Context, err error) int {
	if err == nil {
		return ExitFine
	}
	if status, ok := errors.AsType[Status](err); ok {
		return int(status)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(c.Err, "idem: interrupted")
		return ExitInternal
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintf(c.Err, "%s: %s\n", usage.cmd.Name, Redact(usage.message))
		fmt.Fprintf(c.Err, "usage: %s\n%s\n", usage.cmd.usage(), usage.cmd.more())
		return ExitUsage
	}
	if list, ok := errors.AsType[diag.List](err); ok {
		_ = ShortPaths(list).WriteText(c.Err)
		return ExitFindings
	}
	fmt.Fprintf(c.Err, "idem: %s\n", Redact(err.Error()))
	if _, ok := errors.AsType[*refusal](err); ok {
		return ExitFindings
	}
	return ExitInternal
}

// ShortPaths words the positions relative to the working directory.
func ShortPaths(list diag.List) diag.List {
	list = slices.Clone(list)
	for i := range list {
		list[i].Pos.File = ShortPath(list[i].Pos.File)
	}
	return list
}
