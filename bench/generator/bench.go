package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// subject is one thing that is measured.
type subject struct {
	name    string
	base    string   // the subject that its cost is divided by; empty for a bare load
	goal    float64  // the most that the ratio should be; 0: none
	forgets []string // the packages whose generated files are removed before
	edits   string   // the package that is edited before; its edit is undone after
	program string
	args    []string
}

// bench is the subjects with what was found of them, a cost a round.
type bench struct {
	in       *input
	subjects []subject
	costs    map[string][]cost
}

func newBench(ctx context.Context, dir, root string, s size, peers bool) (*bench, error) {
	if root == "" {
		found, err := idemRoot(ctx)
		if err != nil {
			return nil, err
		}
		root = found
	}
	in, err := makeInput(filepath.Join(dir, "input"), root, s)
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
	if err := goCommand(ctx, b.in.dir, "", "list", "-mod=mod", "-deps", "-test", "./...", "github.com/idem-go/idem/..."); err != nil {
		return err // what the input needs must stand in its go.mod
	}
	if _, err := measure(ctx, b.in.dir, p.idem, "generate"); err != nil {
		return err
	}
	_, err := measure(ctx, b.in.dir, p.self, bareVerb, "./...")
	return err
}

// round runs every subject once.
func (b *bench) round(ctx context.Context, round int) error {
	for _, s := range b.subjects {
		if err := b.measure(ctx, s, round); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) measure(ctx context.Context, s subject, round int) error {
	if err := b.in.forget(s.forgets); err != nil {
		return err
	}
	if s.edits != "" {
		// The text is another one each time: what was compiled once, the go command does not compile again.
		undo, err := b.in.edit(s.edits, fmt.Sprintf("\n// %s, %d at %s.\n", s.name, round, time.Now()))
		if err != nil {
			return err
		}
		defer undo()
	}
	c, err := measure(ctx, b.in.dir, s.program, s.args...)
	b.costs[s.name] = append(b.costs[s.name], c)
	return err
}

const (
	oneLoad    = "one package: bare load"
	editedLoad = "one package: bare load after an edit"
	allLoad    = "all packages: bare load"
)

// onePackage measures what a person does who works on one package.
func (b *bench) onePackage(p programs) []subject {
	one := b.in.names[:1]
	pattern := "./" + one[0]
	return []subject{
		{name: oneLoad, program: p.self, args: []string{bareVerb, pattern}},
		{name: "one package: idem, nothing changed", base: oneLoad, goal: 1.5, program: p.idem, args: []string{"generate", pattern}},
		{name: "one package: idem, nothing generated yet", base: oneLoad, goal: 1.5, program: p.idem, args: []string{"generate", pattern}, forgets: one},
		{name: editedLoad, program: p.self, args: []string{bareVerb, pattern}, edits: one[0]},
		{name: "one package: idem after an edit", base: editedLoad, goal: 1.5, program: p.idem, args: []string{"generate", pattern}, edits: one[0]},
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
		{name: "all packages: idem, nothing changed", base: allLoad, goal: 2, program: p.idem, args: generate},
		{name: "all packages: idem, nothing generated yet", base: allLoad, goal: 2, program: p.idem, args: generate, forgets: b.in.names},
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
