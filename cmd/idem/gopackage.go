package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/mod/modfile"

	"github.com/idem-go/idem/cmd/internal/cli"
)

const (
	runtimePath = "github.com/idem-go/idem/runtime"
	commandPath = "github.com/idem-go/idem/cmd/idem"
)

// goModule is the module that a directory is in.
type goModule struct {
	dir  string
	file *modfile.File
}

// moduleAbove finds the go.mod in the directory or above it.
func moduleAbove(dir string) (goModule, error) {
	for folder := dir; ; folder = filepath.Dir(folder) {
		name := filepath.Join(folder, "go.mod")
		data, err := os.ReadFile(name)
		if err == nil {
			file, err := modfile.Parse(name, data, nil)
			if err != nil {
				return goModule{}, cli.Refusef("%v", err)
			}
			return goModule{folder, file}, nil
		}
		if folder == filepath.Dir(folder) {
			return goModule{}, cli.Refusef("%s is in no module; name a directory of one, or begin one with: go mod init example.com/%s", dir, filepath.Base(dir))
		}
	}
}

// hasTool reports whether 'go tool idem' works in the module.
func (m goModule) hasTool() bool {
	for _, tool := range m.file.Tool {
		if tool.Path == commandPath {
			return true
		}
	}
	return false
}

// goPackage is what init needs to know of a directory.
type goPackage struct {
	dir         string
	module      goModule
	name        string
	fresh       bool            // there is no Go file yet
	declared    map[string]bool // names in the package's scope
	generateAt  string          // where a go:generate line runs idem for the package; empty if nowhere
	directiveAt string          // where a directive stands; empty if nowhere
}

// look finds out about the package in dir.
func look(dir string, module goModule) (*goPackage, error) {
	p := &goPackage{dir: dir, module: module, declared: map[string]bool{}}
	found, err := build.ImportDir(dir, 0)
	if _, none := errors.AsType[*build.NoGoError](err); none {
		p.fresh, p.name = true, packageName(filepath.Base(dir))
		err = mayBegin(dir)
	} else if err == nil {
		p.name = found.Name
	}
	if err != nil {
		return nil, cli.Refusef("%v", err)
	}
	return p, errors.Join(p.readFiles(), p.lookAbove())
}

// mayBegin refuses a directory with files of something else: more likely than a new package there, the
// wrong directory was named.
func mayBegin(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case strings.HasPrefix(name, "."), strings.HasPrefix(name, "go."), strings.HasPrefix(name, "LICENSE"), filepath.Ext(name) == ".md":
		case name == "idem.lock":
		default:
			return fmt.Errorf("%s has no Go package, and is not empty either (%s); name the directory of a package, or a new one",
				cli.ShortPath(dir), name)
		}
	}
	return nil
}

// packageName makes the name of a package from that of a directory.
func packageName(dir string) string {
	name := strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, dir)
	name = strings.TrimLeft(name, "_0123456789")
	if !token.IsIdentifier(name) || name == "main" {
		return "handlers"
	}
	return name
}

// readFiles goes through the Go files, with those of other builds and the tests: their names count, too.
func (p *goPackage) readFiles() error {
	return eachGoFile(p.dir, func(path string, src []byte) {
		p.generateAt = cmp.Or(p.generateAt, findLine(path, src, runsIdem))
		p.directiveAt = cmp.Or(p.directiveAt, findLine(path, src, isDirective))
		file, _ := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution) // errors are the compiler's to tell
		if file == nil || file.Name.Name != p.name {
			return
		}
		for _, decl := range file.Decls {
			p.declare(decl)
		}
	})
}

func (p *goPackage) declare(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			p.declared[decl.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.declared[spec.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					p.declared[name.Name] = true
				}
			}
		}
	}
}

// lookAbove finds a go:generate line that a package further up has for all below it.
func (p *goPackage) lookAbove() error {
	for dir := p.dir; p.generateAt == "" && dir != p.module.dir; {
		dir = filepath.Dir(dir)
		err := eachGoFile(dir, func(path string, src []byte) {
			p.generateAt = cmp.Or(p.generateAt, findLine(path, src, runsIdemBelow))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func eachGoFile(dir string, visit func(path string, src []byte)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) != ".go" {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		visit(path, src)
	}
	return nil
}

// findLine returns the place of the first line that matches, as file:line, or "".
func findLine(path string, src []byte, match func(line string) bool) string {
	number := 0
	for line := range strings.Lines(string(src)) {
		number++
		if match(strings.TrimSpace(line)) {
			return fmt.Sprintf("%s:%d", cli.ShortPath(path), number)
		}
	}
	return ""
}

func runsIdem(line string) bool {
	return strings.HasPrefix(line, "//go:generate ") && strings.Contains(line, "idem generate")
}

func runsIdemBelow(line string) bool { return runsIdem(line) && strings.Contains(line, "./...") }

func isDirective(line string) bool { return strings.HasPrefix(line, "//idem:") }
