package resolve

import (
	"go/token"
	"strings"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/load"
)

// importable reports what generated code imports and the module does not have, at the first directive that needs it.
func (r *resolver) importable(placed []directive.Placed) {
	if r.missing(placed[0].Pos, load.RuntimePath) {
		return // and with it all else
	}
	asked := map[string]bool{}
	for _, p := range placed {
		for _, path := range load.DirectiveImports[p.Spec.Name] {
			if !asked[path] {
				r.missing(p.Pos, path)
			}
			asked[path] = true
		}
	}
}

func (r *resolver) missing(pos token.Pos, path string) bool {
	why := r.prog.Missing(path)
	if why == "" {
		return false
	}
	why, fix := remedy(why)
	r.add(pos, "runtime-missing", fix, "generated code needs %s: %s", path, why)
	return true
}

// remedy takes what the go command says of a package that it cannot give apart, into the reason and what to do.
func remedy(said string) (why, fix string) {
	why, command, _ := strings.Cut(said, "\n")
	command, _, _ = strings.Cut(strings.TrimSpace(command), "\n")
	switch {
	case strings.Contains(why, "-mod=vendor"): // nothing imports it yet, so go mod vendor leaves it out
		fix = "set GOFLAGS=-mod=mod for one run of idem generate, and run go mod tidy and go mod vendor after it"
	case strings.HasPrefix(command, "go "):
		why, _, _ = strings.Cut(why, "; to add")
		fix = "run " + command
	default:
		fix = "run go get github.com/idem-go/idem@latest"
	}
	return why, fix
}
