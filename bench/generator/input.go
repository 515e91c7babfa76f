package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed *.go.tmpl
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "*.go.tmpl"))

// size is how much there is to generate for.
type size struct{ packages, handlers int }

// input is the module that the programs run in.
type input struct {
	dir      string
	root     string   // of idem's own module
	names    []string // of the packages with directives, which are their folders too
	handlers int
}

const (
	interfaces = "mocked"
	constants  = "states"
)

// reachEach says which packages have an outbox and a provider: one in so many.
const reachEach = 4

// makeInput writes the module.
func makeInput(dir, root string, s size) (*input, error) {
	in := &input{dir: dir, root: root, handlers: s.handlers}
	for i := range s.packages {
		name := fmt.Sprintf("part%02d", i)
		if err := in.render("handlers.go.tmpl", name, i%reachEach == 0); err != nil {
			return nil, err
		}
		in.names = append(in.names, name)
	}
	if err := in.render("interfaces.go.tmpl", interfaces, false); err != nil {
		return nil, err
	}
	if err := in.render("constants.go.tmpl", constants, false); err != nil {
		return nil, err
	}
	return in, in.modFile()
}

// idemRoot is where idem's module lies, as this module's go.mod has it.
func idemRoot(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/idem-go/idem")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot find idem's module; run this from bench: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// render makes a package.
func (in *input) render(tmpl, name string, reaches bool) error {
	handlers := make([]int, in.handlers)
	for i := range handlers {
		handlers[i] = i
	}
	var source bytes.Buffer
	data := map[string]any{"Name": name, "Handlers": handlers, "Reaches": reaches}
	if err := templates.ExecuteTemplate(&source, tmpl, data); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(in.source(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(in.source(name), source.Bytes(), 0o644)
}

func (in *input) source(name string) string { return filepath.Join(in.dir, name, name+".go") }

// modFile requires what idem requires, in the same versions, so that nothing has to be downloaded.
func (in *input) modFile() error {
	required, err := os.ReadFile(filepath.Join(in.root, "go.mod"))
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(required), "\n") // behind the module line
	text := "module input.test\n" + rest + "\nrequire github.com/idem-go/idem v0.0.0\n\nreplace github.com/idem-go/idem => " + in.root + "\n"
	if err := os.WriteFile(filepath.Join(in.dir, "go.mod"), []byte(text), 0o644); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(in.root, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(in.dir, "go.sum"), sums, 0o644)
}

// edit puts text behind the source of a package, and gives what takes it away again.
func (in *input) edit(name, text string) (undo func() error, err error) {
	source, err := os.ReadFile(in.source(name))
	if err != nil {
		return nil, err
	}
	undo = func() error { return os.WriteFile(in.source(name), source, 0o644) }
	return undo, os.WriteFile(in.source(name), append(bytes.Clone(source), text...), 0o644)
}

// forget removes what idem generated in packages.
func (in *input) forget(names []string) error {
	for _, name := range names {
		generated, err := filepath.Glob(filepath.Join(in.dir, name, "idem_gen*.go"))
		if err != nil {
			return err
		}
		for _, path := range generated {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// all are the names of the declarations that a template makes one of for each handler.
func (in *input) all(name string) []string {
	names := make([]string, in.handlers)
	for i := range names {
		names[i] = fmt.Sprint(name, i)
	}
	return names
}

func (in *input) list(name string) string { return strings.Join(in.all(name), ",") }
