package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen"
)

// BenchmarkUnchanged is a run over 20 packages in which nothing has changed.
func BenchmarkUnchanged(b *testing.B) {
	m := newModule(b)
	for i := range 20 {
		name := fmt.Sprint("p", i)
		source := strings.NewReplacer("package ledger", "package "+name, "action book", "action book_"+name,
			"//idem:effect", "//idem:effect table=entry_"+name).Replace(ledgerSource)
		m.write(name+"/"+name+".go", source)
	}
	m.generate(gen.Options{})
	for b.Loop() {
		result, err := m.try(gen.Options{})
		if err != nil || len(result.Drift()) > 0 {
			b.Fatal(err, result)
		}
		if err := result.Write(); err != nil {
			b.Fatal(err)
		}
	}
}
