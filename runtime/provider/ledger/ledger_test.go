package ledger_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/idem-go/idem/runtime/provider/ledger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, opts ...ledger.Option) (*ledger.Ledger, ledger.Client) {
	t.Helper()
	l, err := ledger.Start(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, ledger.Client{URL: l.URL()}
}

// A key has one effect as long as it is remembered, and another one after that, which the tests of others count on.
func TestKeysAreForgotten(t *testing.T) {
	ctx := context.Background()
	l, c := start(t, ledger.Window(200*time.Millisecond))
	first, err := c.Send(ctx, "k", "body")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.Send(ctx, "k", "body"); err != nil || again != first || l.Effects("k") != 1 {
		t.Errorf("within the window: %v, %v, %d effects", again, err, l.Effects("k"))
	}
	if _, err := c.Send(ctx, "k", "other"); err == nil || l.Effects("k") != 1 {
		t.Errorf("another body: %v, %d effects", err, l.Effects("k"))
	}
	time.Sleep(250 * time.Millisecond)
	if again, err := c.Send(ctx, "k", "body"); err != nil || again == first || l.Effects("k") != 2 {
		t.Errorf("after the window: %v, %v, %d effects", again, err, l.Effects("k"))
	}
	if n := len(l.Requests("k")); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

func TestLookups(t *testing.T) {
	ctx := context.Background()
	l, c := start(t)
	if _, found, err := c.Find(ctx, "a/b"); found || err != nil {
		t.Errorf("nothing was done: %v, %v", found, err)
	}
	l.Next(ledger.Drop)
	if _, err := c.Send(ctx, "a/b", 1); err == nil {
		t.Error("a dropped answer came")
	}
	if r, found, err := c.Find(ctx, "a/b"); !found || err != nil || r.Key != "a/b" {
		t.Errorf("what was done: %v, %v, %v", r, found, err)
	}
	if n := l.Lookups("a/b"); n != 2 {
		t.Errorf("%d lookups, want 2", n)
	}
	_, closed := start(t, ledger.WithoutLookup())
	if _, _, err := closed.Find(ctx, "k"); err == nil {
		t.Error("a lookup is answered that was to be refused")
	}
}

// What is cut or refused has no effect, and nothing hangs on after the end.
func TestWithoutEffect(t *testing.T) {
	l, c := start(t)
	for _, b := range []ledger.Behaviour{ledger.Lose, ledger.Reject, ledger.InProgress, ledger.Conflict, ledger.Fail, ledger.Busy(time.Second), ledger.Unavailable(time.Second)} {
		l.Next(b)
		if _, err := c.Send(context.Background(), "k", 1); err == nil || l.Effects("") != 0 {
			t.Errorf("%v, %d effects", err, l.Effects(""))
		}
	}
	l.Next(ledger.Hang)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for l.Effects("k") == 0 && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := c.Send(ctx, "k", 1); err == nil || l.Effects("k") != 1 {
		t.Errorf("%v, %d effects", err, l.Effects("k"))
	}
}

// What is said of a key concerns no other one, and comes before what is said of all.
func TestBehavioursOfAKey(t *testing.T) {
	ctx := context.Background()
	l, c := start(t)
	met := 0
	l.NextOf("k", ledger.Before(func() { met++ }, ledger.Overlap), ledger.Drop)
	l.Next(ledger.Reject)
	if _, err := c.Send(ctx, "other", 1); err == nil || l.Effects("other") != 0 || met != 0 {
		t.Errorf("another key: %v, %d effects, met %d times", err, l.Effects("other"), met)
	}
	for i := range 2 {
		if _, err := c.Send(ctx, "k", 1); err == nil || l.Effects("k") != 1 || met != 1 {
			t.Errorf("request %d: %v, %d effects, met %d times", i+1, err, l.Effects("k"), met)
		}
	}
	if r, err := c.Send(ctx, "k", 1); err != nil || r.Before != 0 {
		t.Errorf("after that: %+v, %v", r, err)
	}
	l.Forget()
	if r, err := c.Send(ctx, "k", 1); err != nil || r.Before != 1 {
		t.Errorf("a second effect: %+v, %v", r, err)
	}
}
