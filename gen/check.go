package gen

import (
	"errors"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/lock"
)

// checked is a part whose code is valid, with where its lock is led.
type checked struct {
	*part
	next *lock.Next
	// wrong is what a person must put right before; next is nil then.
	wrong diag.List
}

// check type-checks what was generated together with its packages, and compares it with the locks. What is wrong with
// one lock does not hide what is wrong with another.
func (t *task) check(program *load.Program, parts []*part) ([]checked, error) {
	var all []checked
	seen := map[string]bool{} // the folders of the packages that the run has read
	for _, p := range parts {
		for _, src := range p.sources {
			seen[src.model.Dir] = true
		}
	}
	for _, p := range parts {
		c := checked{part: p}
		var err error
		if c.next, err = t.checkPart(program, p, seen); err != nil {
			list, ok := errors.AsType[diag.List](err)
			if !ok {
				return nil, err
			}
			c.wrong = list
		}
		all = append(all, c)
	}
	return all, nil
}

func (t *task) checkPart(program *load.Program, p *part, seen map[string]bool) (*lock.Next, error) {
	if p.lockErr != nil {
		return nil, p.lockErr
	}
	wrong, err := t.lookForUnseen(program, p, seen)
	if err != nil {
		return nil, err
	}
	if wrong = append(wrong, p.halved(program.Absent)...); len(wrong) > 0 {
		return nil, wrong
	}
	err = inParallel(p.sources, func(src *source) error { return program.Verify(src.pkg, src.files) })
	if err != nil {
		return nil, err
	}
	return p.lock.Next(lock.Run{
		Dir: p.dir(), Name: t.rel(p.lockPath), Packages: p.models(), Generated: p.generated(),
		Covers:    func(importPath string) bool { return p.sees(t.scope, importPath) },
		CoversDir: func(name string) bool { return p.seesDir(t.scope, name) },
		Renames:   t.options.Renames,
	}, t.format)
}
