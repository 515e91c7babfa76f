package gen

import (
	"context"
	"iter"

	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/gen/resolve"
	"github.com/idem-go/idem/gen/scan"
)

// Run generates, in memory. When something in the source, in idem.lock or in the way of a file must be put
// right by a person, the error is a diag.List with all of it.
func Run(ctx context.Context, o Options) (*Result, error) { return run(ctx, o, registry.Kinds) }

// run is [Run] with these kinds of directives.
func run(ctx context.Context, o Options, kinds kind.Kinds) (*Result, error) {
	t, err := newTask(o, kinds)
	if err != nil {
		return nil, err
	}
	found, err := t.scan(ctx)
	if err != nil {
		return nil, err
	}
	program, err := t.load(ctx, found)
	if err != nil {
		return nil, err
	}
	models := t.resolve(program)
	parts, err := t.emit(program, models)
	if err != nil {
		return nil, err
	}
	checked, err := t.check(program, parts)
	if err != nil {
		return nil, err
	}
	return t.plan(program, checked)
}

// scan finds the packages that speak of idem at all.
func (t *task) scan(ctx context.Context) ([]*scan.Package, error) {
	return scan.Packages(ctx, t.dir, t.options.Patterns)
}

// load reads the directives of the packages that bear some, and the types of what their code and what is generated for
// it imports.
func (t *task) load(ctx context.Context, found []*scan.Package) (*load.Program, error) {
	return load.Packages(ctx, t.dir, found, load.Needs{
		Directives: t.kinds.Directives(), Imports: t.kinds.Resolve().Imports(), Tests: t.tested(found),
	})
}

// resolve makes the models, one after the other as emit asks for them: a package that imports another is checked with
// what was emitted for that one.
func (t *task) resolve(program *load.Program) iter.Seq2[*resolve.Resolved, error] {
	return resolve.Packages(program, t.kinds.Resolve())
}
