package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/idem-go/idem/cmd/internal/cli"
)

// TestMain is the launched program too: it ends with the status that it is told, or when its input closes.
func TestMain(m *testing.M) {
	if os.Getenv(Env) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if status, err := strconv.Atoi(os.Args[1]); err == nil {
		fmt.Println("out", os.Args[1])
		fmt.Fprintln(os.Stderr, "err", os.Args[1])
		os.Exit(status)
	}
	fmt.Println("waits")
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println("ends")
	os.Exit(3)
}

func launched(t *testing.T, ctx context.Context, out io.Writer, arg string) (said string, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var complaint bytes.Buffer
	err = start(ctx, &cli.Console{Out: out, Err: &complaint, Env: os.Getenv}, self, []string{arg})
	return complaint.String(), err
}

func TestProgramEndsTheCommand(t *testing.T) {
	t.Parallel()
	for status := range 4 {
		arg := strconv.Itoa(status)
		var out bytes.Buffer
		said, err := launched(t, t.Context(), &out, arg)
		ended, _ := errors.AsType[cli.Status](err)
		if int(ended) != status || (err == nil) != (status == 0) || out.String() != "out "+arg+"\n" || said != "err "+arg+"\n" {
			t.Errorf("%d: %v, %q and %q", status, err, out.String(), said)
		}
	}
}

// TestProgramEndsInGoodOrder: it says what it has to say after it was told to end, and its own status is what counts.
func TestProgramEndsInGoodOrder(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &stopper{on: "waits\n", stop: stop}
	said, err := launched(t, ctx, out, "wait")
	if !errors.Is(err, cli.Status(3)) || out.text.String() != "waits\nends\n" || said != "" {
		t.Errorf("%v, %q and %q", err, out.text.String(), said)
	}
}

// stopper stops when it is written what on says.
type stopper struct {
	text bytes.Buffer
	on   string
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	n, err := s.text.Write(p)
	if s.text.String() == s.on {
		s.stop()
	}
	return n, err
}
