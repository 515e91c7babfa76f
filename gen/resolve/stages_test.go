package resolve_test

import (
	"context"

	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/gen/resolve"
	"github.com/idem-go/idem/gen/scan"
)

// kinds are those that the golden files have.
var kinds = registry.Kinds.Resolve()

// emitter stands for the stage behind this one.
type emitter func(*model.Package) ([]byte, error)

// noCode stands for the emitter where the generated code does not matter.
func noCode(m *model.Package) ([]byte, error) { return []byte("package " + m.Name + "\n"), nil }

// resolution is what came of a run up to this stage.
type resolution struct {
	*load.Program
	Packages []*resolved // in import order
}

type resolved struct {
	*resolve.Resolved
	program *load.Program
}

// Check checks generated files together with the package.
func (r *resolved) Check(generated map[string][]byte) error {
	return r.program.Verify(r.Package, generated)
}

// resolvePackages goes through the stages up to this one. All packages have generated tests.
func resolvePackages(dir string, patterns []string, emit emitter) (*resolution, error) {
	found, err := scan.Packages(context.Background(), dir, patterns)
	if err != nil {
		return nil, err
	}
	return resolveFound(dir, found, emit)
}

func resolveFound(dir string, found []*scan.Package, emit emitter) (*resolution, error) {
	tests := map[string]bool{}
	for _, pkg := range found {
		tests[pkg.Dir] = true
	}
	program, err := load.Packages(context.Background(), dir, found,
		load.Needs{Directives: kinds.Directives(), Imports: kinds.Imports(), Tests: tests})
	if err != nil {
		return nil, err
	}
	all := &resolution{Program: program}
	for r, err := range resolve.Packages(program, kinds) {
		if err != nil {
			return nil, err
		}
		code, err := emit(r.Model)
		if err != nil {
			return nil, err
		}
		if err := program.Join(r.Package, code); err != nil {
			return nil, err
		}
		all.Packages = append(all.Packages, &resolved{r, program})
	}
	return all, nil
}
