// Command idemvet runs the rules of idem for the go command:
//
//	go vet -vettool=$(go tool -n idemvet) ./...
//
// The flags are those of go vet: -attemptkey runs that rule alone, -missingconflict=false all but that,
// -json prints JSON, -fix applies the fixes. A project's own sources and sinks stand in a file .idemvet.
// The go command keeps what it learnt of a package, so after a change of that file give it another
// -config, or run idem vet, which keeps nothing.
package main

import (
	"flag"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/idem-go/idem/lint"
)

func main() {
	var options lint.Options
	flag.StringVar(&options.Config, "config", "", "read the project's own lines of the table from `FILE` (an absolute path)")
	unitchecker.Main(lint.New(&options)...)
}
