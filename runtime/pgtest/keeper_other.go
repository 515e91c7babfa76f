//go:build !unix

package pgtest

import (
	"context"
	"errors"
)

type keeper struct{ dir string }

// startKeeper refuses: without a POSIX shell nobody would clean up after a killed process.
func startKeeper(string, bool, []string) (*keeper, error) {
	return nil, errors.New("starting a throwaway Postgres needs a Unix; set " + EnvURL + " to a server where databases may be created")
}

func (*keeper) ask(context.Context, string) (string, error) { return "", ErrStopped }

func (*keeper) leave() {}
