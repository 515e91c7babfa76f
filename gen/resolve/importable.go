package resolve

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/model"
)

// importable reports what generated code imports and the module does not have, at the first directive that needs it.
func (r *Resolver) importable(kinds Kinds) {
	placed := r.Package.Directives
	for _, path := range slices.Sorted(maps.Keys(model.Runtime)) {
		if r.missing(placed[0].Pos, path) {
			return // and with it all else
		}
	}
	asked := map[string]bool{}
	for _, p := range placed {
		for _, path := range kinds[kinds.of(p.Spec)].Imports {
			if !asked[path] {
				r.missing(p.Pos, path)
			}
			asked[path] = true
		}
	}
}

func (r *Resolver) missing(pos token.Pos, path string) bool {
	why := r.Program.Missing(path)
	if why == "" {
		return false
	}
	why, fix := remedy(why)
	r.Add(pos, "runtime-missing", fix, "generated code needs %s: %s", path, why)
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
