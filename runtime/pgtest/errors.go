package pgtest

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrNotOurs is returned when a server that IDEM_DATABASE_URL names is asked to stop, crash or restart. Use [Private] to
// get a server that may be treated so.
var ErrNotOurs = errors.New("the server of " + EnvURL + " is not pgtest's to stop; start one with pgtest.Private")

// ErrStopped is returned by a server that [Server.Stop] has ended for good.
var ErrStopped = errors.New("the server has been stopped for good; start a new one with pgtest.Start")

// NoServerError says that no Postgres could be found or fetched, and what would help.
type NoServerError struct {
	Err error // why the last resort, the download, failed
}

// Error names the ways to provide a server.
func (e *NoServerError) Error() string {
	return fmt.Sprintf("no Postgres for tests: none on the PATH or in the usual places, and the download failed: %v; "+
		"install the Postgres server package, or set %s to a server where databases may be created", e.Err, EnvURL)
}

// Unwrap returns the reason of the failed download.
func (e *NoServerError) Unwrap() error { return e.Err }

// ServerError says that a server did not start or stop as it should, with the end of its log.
type ServerError struct {
	Op  string // what was tried: "initdb", "start"
	Log string // the last lines that initdb or the server wrote; may be empty
	Err error  // may be nil
}

// Error returns the operation, the reason and the log's end.
func (e *ServerError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "throwaway Postgres: %s failed", e.Op)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Log != "" {
		fmt.Fprintf(&b, "\n%s", e.Log)
	}
	return b.String()
}

// Unwrap returns the reason, if there is one beside the log.
func (e *ServerError) Unwrap() error { return e.Err }

// logTail reads the end of a server's log.
func logTail(path string) string {
	const most = 4 << 10
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	if len(text) > most {
		text = text[len(text)-most:]
		_, rest, _ := strings.Cut(string(text), "\n")
		return strings.TrimSpace(rest)
	}
	return strings.TrimSpace(string(text))
}
