package gen

import (
	"errors"
	"iter"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/resolve"
)

// emit writes the Go files of the packages, and divides them by the locks that say what they are written with.
func (t *task) emit(program *load.Program, models iter.Seq2[*resolve.Resolved, error]) ([]*part, error) {
	sources, err := emitCode(program, models)
	if err != nil {
		return nil, err
	}
	parts, err := t.divide(sources)
	if err != nil {
		return nil, err
	}
	return parts, emitTests(parts)
}

// emitCode writes the idem_gen.go of each package, and makes it a part of the package at once: the next one may import
// it. They are formatted afterwards, side by side, since that takes longer than all else.
func emitCode(program *load.Program, models iter.Seq2[*resolve.Resolved, error]) ([]*source, error) {
	var sources []*source
	var list diag.List
	for r, err := range models {
		var code []byte
		if err == nil {
			code, err = emit.Unformatted(r.Model)
		}
		if found, ok := errors.AsType[diag.List](err); ok {
			list = append(list, found...)
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := program.Join(r.Package, code); err != nil {
			return nil, err
		}
		sources = append(sources, &source{r.Package, r.Model, map[string][]byte{emit.FileName: code}})
	}
	if len(list) > 0 {
		return nil, list.Sorted()
	}
	return sources, inParallel(sources, func(src *source) (err error) {
		src.files[emit.FileName], err = emit.Format(src.model, src.files[emit.FileName])
		return err
	})
}

// emitTests writes the tests of the parts that have some.
func emitTests(parts []*part) error {
	for _, p := range parts {
		if p.lockErr != nil || !*p.lock.Tests {
			continue
		}
		err := inParallel(p.sources, func(src *source) error {
			migrations, err := p.migrations(src.model.Dir)
			if err != nil {
				return err
			}
			code, err := emit.Tests(src.model, migrations)
			if err == nil && code != nil {
				src.files[emit.TestFileName] = code
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
