package main

import (
	"context"
	"os"
	"path/filepath"
)

// subject is one thing that is measured.
type subject struct {
	name    string
	base    string // the subject that its cost is divided by; empty for a bare load
	prepare func(round int) error
	program string
	args    []string
}

// bench is the subjects with what was found of them, a cost a round.
type bench struct {
	in       *input
	subjects []subject
	costs    map[string][]cost
}

func newBench(ctx context.Context, dir string, s size, peers bool) (*bench, error) {
	in, err := makeInput(ctx, filepath.Join(dir, "input"), s)
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return nil, err
	}
	p, err := build(ctx, bin, in.root, peers)
	if err != nil {
		return nil, err
	}
	b := &bench{in: in, costs: map[string][]cost{}}
	b.subjects = append(b.onePackage(p), b.allPackages(p)...)
	if peers {
		b.subjects = append(b.subjects, b.peers(p)...)
	}
	return b, b.warm(ctx, p)
}

// warm generates everything once, and fills the caches.
func (b *bench) warm(ctx context.Context, p programs) error {
	if _, err := measure(ctx, b.in.dir, p.idem, "generate"); err != nil {
		return err
	}
	_, err := measure(ctx, b.in.dir, p.self, bareVerb, "./...")
	return err
}

// round runs every subject once.
func (b *bench) round(ctx context.Context, round int) error {
	for _, s := range b.subjects {
		if s.prepare != nil {
			if err := s.prepare(round); err != nil {
				return err
			}
		}
		c, err := measure(ctx, b.in.dir, s.program, s.args...)
		if err != nil {
			return err
		}
		b.costs[s.name] = append(b.costs[s.name], c)
	}
	return nil
}

const (
	oneLoad = "one package: bare load"
	allLoad = "all packages: bare load"
)

// onePackage measures what a person does who works on one package.
func (b *bench) onePackage(p programs) []subject {
	one := b.in.names[:1]
	pattern := "./" + one[0]
	return []subject{
		{name: oneLoad, program: p.self, args: []string{bareVerb, pattern}},
		{name: "one package: idem, nothing changed", base: oneLoad, program: p.idem, args: []string{"generate", pattern}},
		{name: "one package: idem, nothing generated yet", base: oneLoad, program: p.idem, args: []string{"generate", pattern},
			prepare: func(int) error { return b.in.forget(one) }},
		{name: "one package: bare load after an edit", program: p.self, args: []string{bareVerb, pattern},
			prepare: func(round int) error { return b.in.edit(one, round, "the load") }},
		{name: "one package: idem after an edit", base: "one package: bare load after an edit", program: p.idem, args: []string{"generate", pattern},
			prepare: func(round int) error { return b.in.edit(one, round, "idem") }},
	}
}

// allPackages measures a run over the module.
func (b *bench) allPackages(p programs) []subject {
	patterns := make([]string, len(b.in.names))
	for i, name := range b.in.names {
		patterns[i] = "./" + name
	}
	load, generate := append([]string{bareVerb}, patterns...), append([]string{"generate"}, patterns...)
	return []subject{
		{name: allLoad, program: p.self, args: load},
		{name: "all packages: idem, nothing changed", base: allLoad, program: p.idem, args: generate},
		{name: "all packages: idem, nothing generated yet", base: allLoad, program: p.idem, args: generate,
			prepare: func(int) error { return b.in.forget(b.in.names) }},
	}
}

// peers measures other generators, each on a package of what it generates for.
func (b *bench) peers(p programs) []subject {
	return []subject{
		{name: "stringer: bare load", program: p.self, args: []string{bareVerb, "./" + constants}},
		{name: "stringer", base: "stringer: bare load", program: p.stringer, args: []string{"-type", b.in.list("State"), "./" + constants}},
		{name: "moq: bare load", program: p.self, args: []string{bareVerb, "./" + interfaces}},
		{name: "moq", base: "moq: bare load", program: p.moq,
			args: append([]string{"-out", filepath.Join(interfaces, "moq_test.go"), "./" + interfaces}, b.in.all("Books")...)},
	}
}
