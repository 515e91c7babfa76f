package gen

import (
	"errors"
	"maps"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/output"
)

// compare sets what should be against what is on disk.
func (p *part) compare(result *Result, next *lock.Next, generated map[string][]byte) error {
	var list diag.List
	add := func(name string, content []byte, kind output.Kind) error {
		path := p.path(name)
		f, err := output.Compare(path, p.rel(path), content, kind)
		if foreign, ok := errors.AsType[*output.ForeignError](err); ok {
			list.Add(diag.Position{File: foreign.Rel, Line: 1, Column: 1}, "foreign-file", foreign.Fix(), "%s", foreign.Reason())
			return nil
		}
		result.Files = append(result.Files, f)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(generated)) {
		if err := add(name, generated[name], output.Generated); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(next.Migrations)) {
		if err := add(name, next.Migrations[name], output.Once); err != nil {
			return err
		}
	}
	encoded, err := next.Lock.Encode()
	if err != nil {
		return err
	}
	if err := add(lock.FileName, encoded, output.Owned); err != nil {
		return err
	}
	if len(list) > 0 {
		return list.Sorted()
	}
	return p.orphans(result, next.Orphans)
}

func (p *part) orphans(result *Result, names []string) error {
	for _, name := range names {
		path := p.path(name)
		f, found, err := output.Orphan(path, p.rel(path))
		if err != nil {
			return err
		}
		if found {
			result.Files = append(result.Files, f)
		}
	}
	return nil
}
