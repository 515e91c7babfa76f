package resolve_test

import (
	"testing"

	"golang.org/x/tools/go/packages"
)

const benchPackage = "./testdata/bench"

// BenchmarkPackages is one run over one package. It should cost at most half again as much as
// BenchmarkBareLoad.
func BenchmarkPackages(b *testing.B) {
	for b.Loop() {
		if _, err := resolvePackages(".", []string{benchPackage}, noCode); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBareLoad is the least that a loader of types can do: ask the go command for the package's
// export data and read it. It loads a package that compiles, as the one with directives does not.
func BenchmarkBareLoad(b *testing.B) {
	config := &packages.Config{Mode: packages.NeedName | packages.NeedTypes, Dir: "."}
	for b.Loop() {
		if _, err := packages.Load(config, "net/http", "net/netip", "time", "github.com/idem-go/idem/runtime"); err != nil {
			b.Fatal(err)
		}
	}
}
