// Package launch runs another program of idem's module in the place of the command that was called. It builds the
// program when it is asked for, so that what only that program needs is no part of the command.
package launch
