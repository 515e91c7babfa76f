package faulttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/double"
	"github.com/idem-go/idem/runtime/outbox"
)

// failing is a test that notes how it fails, and goes on.
type failing struct {
	testing.TB
	fatal    string
	cleanups []func()
}

func (f *failing) Fatalf(format string, args ...any) { f.fatal = fmt.Sprintf(format, args...) }
func (f *failing) Cleanup(c func())                  { f.cleanups = append(f.cleanups, c) }

func TestAHandlerIsTriedOnceInATest(t *testing.T) {
	one, other := &subject{node: "one"}, &subject{node: "other"}
	first := &failing{TB: t}
	claim(first, one)
	claim(first, other)
	if first.fatal != "" {
		t.Errorf("two handlers: %s", first.fatal)
	}
	second := &failing{TB: t}
	claim(second, one)
	if !strings.Contains(second.fatal, "give each a subtest") {
		t.Errorf("the same handler again: %q", second.fatal)
	}
	for _, c := range first.cleanups {
		c()
	}
	third := &failing{TB: t} // as with -count=2
	claim(third, one)
	if third.fatal != "" {
		t.Errorf("after the test: %s", third.fatal)
	}
	for _, c := range third.cleanups {
		c()
	}
}

// TestEveryFaultHasAName: names are what people select and read.
func TestEveryFaultHasAName(t *testing.T) {
	s := &suite{subject: &subject{again: again[order]}, input: encode(t, sample), output: []byte(`1`),
		calls:    []double.Call{{Provider: "a/b", Key: "1", Window: time.Hour}, {Provider: "a/b", Key: "2", Undo: true, Window: time.Hour}, {Provider: "a/b", Key: "3"}, {Provider: "c", Key: "4"}},
		outboxes: []*outbox.Table{&webhooks}, sent: []command{{table: &webhooks, id: "5", state: outbox.StateDelivered}},
		written: []table{{name: "a"}, {name: "b"}}, trips: []exchange{{n: 1, label: "the claim"}, {n: 2, label: "the completion"}}}
	for _, action := range []bool{true, false} {
		s.action = action
		seen := map[string]bool{}
		for _, f := range s.faults(false) {
			if f.name == "" || seen[f.name] || strings.ContainsAny(f.name, "/\n") {
				t.Errorf("a fault is called %q", f.name)
			}
			seen[f.name] = true
		}
		for _, f := range s.faults(true) {
			if strings.Contains(f.name, "killed") {
				t.Errorf("with -short, %q is still tried", f.name)
			}
		}
		if !seen["killed after the commit"] || !seen["reply lost: 2, the completion"] || !seen["an error at a write to b"] ||
			!seen["a.b rejects"] || !seen["a.b is not reached"] || !seen["c is done, and its answer is lost"] || !seen["killed twice when the undo of a.b was about to be sent"] ||
			seen["c is done, its answer is lost, and its window is over"] || !seen["a relay of webhooks is killed after a send"] ||
			!seen["the lease runs out, and the first worker fails when another one has completed the step"] {
			t.Errorf("faults are missing among %v", seen)
		}
		if seen["an output over the limit"] == action {
			t.Errorf("an action has no output; action %t, %v", action, seen)
		}
	}
}
