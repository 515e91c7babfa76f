package store_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/store"
)

// What is tried again and again is told each time, and logged the first time.
func TestStubbornTells(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	told := 0
	s := &store.Session{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
		Observer: func(e lifecycle.Event) {
			if e.Kind == lifecycle.EventUnreachable && e.Err != nil {
				told++
			}
		},
	}
	tries := 0
	err := s.Stubborn(context.Background(), "settle", func(ctx context.Context) error {
		if ctx.Err() != nil {
			t.Error("it is tried with a context that has ended")
		}
		if tries++; tries < 3 {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	if err != nil || tries != 3 || told != 2 {
		t.Errorf("%v after %d tries, %d told", err, tries, told)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, `msg="idem: the database does not take writes, trying again" what=settle try=1 error="unexpected EOF"`) {
		t.Errorf("the log says %s", text)
	}
}
