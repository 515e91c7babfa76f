package gen_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/idem-go/idem/gen"
)

// The benchmarks below are of runs in which nothing has changed. Beside each, in turn with it, runs the bare load of the
// same packages: their types from export data, the least that a generator that knows types does. bench/generator
// measures both as processes, beside other generators.

// BenchmarkOnePackage should take at most half again as much as the bare load.
func BenchmarkOnePackage(b *testing.B) { benchmark(b, 1, 10) }

// BenchmarkUnchanged20 should take at most 0.3 s.
func BenchmarkUnchanged20(b *testing.B) { benchmark(b, 20, 1) }

// BenchmarkHandlers200 should take at most twice as much as the bare load.
func BenchmarkHandlers200(b *testing.B) { benchmark(b, 20, 10) }

// benchmark runs over packages with so many handlers each.
func benchmark(b *testing.B, count, handlers int) {
	m := newModule(b)
	patterns := make([]string, count)
	for i := range count {
		name := fmt.Sprint("p", i)
		patterns[i] = "./" + name
		m.write(name+"/"+name+".go", ledgers(name, handlers))
	}
	m.generate(gen.Options{})
	m.bareLoad(patterns) // compiles what is new
	var run, bare time.Duration
	for b.Loop() {
		start := time.Now()
		m.unchanged(patterns)
		middle := time.Now()
		m.bareLoad(patterns)
		run, bare = run+middle.Sub(start), bare+time.Since(middle)
	}
	b.ReportMetric(float64(run.Milliseconds())/float64(b.N), "ms/run")
	b.ReportMetric(float64(run)/float64(bare), "x-bare-load")
}

// ledgers is a package of handlers with an effect each.
func ledgers(name string, handlers int) string {
	head, one, _ := strings.Cut(ledgerSource, "type Input")
	source := strings.Replace(head, "package ledger", "package "+name, 1)
	for i := range handlers {
		source += strings.NewReplacer("Input", fmt.Sprint("Input", i), "Book", fmt.Sprint("Book", i), "Entry", fmt.Sprint("Entry", i),
			"action book", fmt.Sprintf("action book_%s_%d", name, i), "//idem:effect", fmt.Sprintf("//idem:effect table=entry_%s_%d", name, i),
		).Replace("\ntype Input" + one)
	}
	return source
}

func (m *module) unchanged(patterns []string) {
	result, err := m.try(gen.Options{Patterns: patterns})
	if err != nil || len(result.Drift()) > 0 {
		m.t.Fatal(err, result)
	}
	if err := result.Write(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *module) bareLoad(patterns []string) {
	loaded, err := packages.Load(&packages.Config{Dir: m.dir, Mode: packages.NeedName | packages.NeedTypes}, patterns...)
	if err != nil || packages.PrintErrors(loaded) > 0 {
		m.t.Fatal("the packages do not load: ", err)
	}
}
