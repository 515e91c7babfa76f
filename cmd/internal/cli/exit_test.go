package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/idem-go/idem/gen/diag"
)

func TestReport(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var found diag.List
	found.Add(diag.Position{File: "a.go", Line: 1, Column: 2}, "some-code", "do that", "this is wrong")
	for name, tt := range map[string]struct {
		ctx    context.Context
		err    error
		status int
		says   string
	}{
		"well":         {t.Context(), nil, ExitFine, ""},
		"all is said":  {t.Context(), fmt.Errorf("and more: %w", ErrFindings), ExitFindings, ""},
		"as another":   {stopped, errors.Join(Status(3)), ExitInternal, ""},
		"interrupted":  {stopped, context.Canceled, ExitInternal, "idem: interrupted\n"},
		"refused":      {t.Context(), Refusef("take %d", 2), ExitFindings, "idem: take 2\n"},
		"usage":        {t.Context(), (&Command{Name: "idem do"}).Usagef("do what?"), ExitUsage, "idem do: do what?\nusage: idem do\nRun 'idem help do' for more.\n"},
		"with secrets": {t.Context(), errors.New("open postgres://ann:hunter2@db/shop"), ExitInternal, "idem: open postgres://xxxxx@db/shop\n"},
	} {
		var out, err bytes.Buffer
		status := (&Console{Out: &out, Err: &err}).Report(tt.ctx, tt.err)
		if status != tt.status || err.String() != tt.says || out.Len() > 0 {
			t.Errorf("%s: status %d, %q and %q", name, status, err.String(), out.String())
		}
	}
	var err bytes.Buffer
	if status := (&Console{Err: &err}).Report(t.Context(), found); status != ExitFindings || !bytes.Contains(err.Bytes(), []byte("a.go:1:2: ")) {
		t.Errorf("diagnostics: status %d, %q", status, err.String())
	}
}
