package gen

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/output"
)

// plan sets what should be against what is on disk: what is to be written, by [Result.Write].
func (t *task) plan(program *load.Program, parts []checked) (*Result, error) {
	result := &Result{}
	renamed := map[string]bool{}
	var list diag.List
	for _, p := range parts {
		if list = append(list, p.wrong...); p.next == nil {
			continue
		}
		files, wrong, err := t.compare(p)
		if err != nil {
			return nil, err
		}
		list, result.Files = append(list, wrong...), append(result.Files, files...)
		result.Packages += len(p.sources)
		result.Notes = slices.Concat(result.Notes, p.untested(), p.next.Notes)
		for _, old := range p.next.Renamed {
			renamed[old] = true
		}
	}
	if len(list) > 0 {
		return nil, list.Sorted()
	}
	if err := t.checkRenames(renamed); err != nil {
		return nil, err
	}
	result.Notes = append(result.Notes, unchecked(parts, program.Missing(model.FaultTestPath))...)
	result.Unseen = unseenNotes(program, parts)
	result.Files = settle(result.Files)
	return result, nil
}

// compare returns the files of a part, and what is in their way.
func (t *task) compare(p checked) (files []output.File, wrong diag.List, err error) {
	add := func(name string, content []byte, kind output.Kind) error {
		path := p.path(name)
		f, err := output.Compare(path, t.rel(path), content, kind)
		if foreign, ok := errors.AsType[*output.ForeignError](err); ok {
			wrong.Add(diag.Position{File: foreign.Rel, Line: 1, Column: 1}, "foreign-file", foreign.Fix(), "%s", foreign.Reason())
			return nil
		}
		files = append(files, f)
		return err
	}
	encoded, err := p.next.Lock.Encode()
	if err != nil {
		return nil, nil, err
	}
	for _, of := range []struct {
		contents map[string][]byte
		kind     output.Kind
	}{
		{p.generated(), output.Generated}, {p.next.Migrations, output.Once}, {map[string][]byte{lock.FileName: encoded}, output.Owned},
	} {
		for _, name := range slices.Sorted(maps.Keys(of.contents)) {
			if err := add(name, of.contents[name], of.kind); err != nil {
				return nil, nil, err
			}
		}
	}
	orphans, err := t.orphans(p)
	return append(files, orphans...), wrong, err
}

// orphans are the files of which nothing is left to be generated.
func (t *task) orphans(p checked) (files []output.File, err error) {
	for _, name := range p.next.Orphans {
		path := p.path(name)
		f, found, err := output.Orphan(path, t.rel(path))
		if err != nil {
			return nil, err
		}
		if found {
			files = append(files, f)
		}
	}
	return files, nil
}

// settle sorts the files by path. A file that has come to another lock is no orphan of the old one.
func settle(files []output.File) []output.File {
	made := map[string]bool{}
	for _, f := range files {
		if f.State != output.Orphaned {
			made[f.Path] = true
		}
	}
	files = slices.DeleteFunc(files, func(f output.File) bool { return f.State == output.Orphaned && made[f.Path] })
	slices.SortFunc(files, func(a, b output.File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}

// untested names what has no test although it could have one, and says what it takes.
func (p checked) untested() (notes []string) {
	if !*p.lock.Tests {
		return nil
	}
	for _, src := range p.sources {
		for _, d := range model.All[emit.Tested](src.model) {
			if !d.HasTest() {
				notes = append(notes, d.Untested())
			}
		}
	}
	return notes
}

// unchecked says that the tests could not be checked, and what it takes to run them.
func unchecked(parts []checked, why string) []string {
	hasTests := func(src *source) bool { return src.files[emit.TestFileName] != nil }
	if why == "" || !slices.ContainsFunc(parts, func(p checked) bool { return slices.ContainsFunc(p.sources, hasTests) }) {
		return nil
	}
	return []string{"the generated tests are not checked yet; run go mod tidy, and go mod vendor where the module vendors: " +
		strings.Join(strings.Fields(why), " ")}
}
