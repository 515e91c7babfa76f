package provider_test

import (
	"context"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/provider"
)

// carrier is a provider whose functions are methods.
type carrier struct{ url string }

func (c *carrier) send(context.Context, string, SMS) (Receipt, error) { return Receipt{ID: c.url}, nil }

func (c *carrier) find(context.Context, string) (Receipt, bool, error) { return Receipt{}, false, nil }

func (c *carrier) recall(context.Context, string, Receipt) error { return nil }

// define is what generated code does at each call of a provider that is a method.
func (c *carrier) define() *provider.Provider[SMS, Receipt] {
	return provider.Define("carrier.send", c.send,
		provider.WithWindow(24*time.Hour), provider.WithLookup(c.find), provider.WithUndo(c.recall))
}

// TestDefinitionsAreCheap: a definition may be made at each call.
func TestDefinitionsAreCheap(t *testing.T) {
	c := &carrier{}
	if n := testing.AllocsPerRun(100, func() { c.define() }); n > 16 {
		t.Errorf("it takes %v allocations", n)
	}
}

func BenchmarkDefine(b *testing.B) {
	c := &carrier{}
	b.ReportAllocs()
	for b.Loop() {
		c.define()
	}
}
