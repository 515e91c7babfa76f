package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"

	"github.com/idem-go/idem/gen/kind/effect"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/lock"
)

//go:embed handler.go.tmpl
var handlerText string

var handlerTemplate = template.Must(template.New(handlerFile).Parse(handlerText))

// scaffold is the file that init makes.
type scaffold struct {
	Package      string
	NewPackage   bool
	Generate     bool // with the go:generate line
	GenerateLine string
	Handler      bool   // with the handler and its effect
	Runtime      string // what the file calls package runtime
	Func, In     string
	Node         string
	Row, Table   string
}

// newScaffold plans what the package lacks, under names that neither the package nor the lock has.
func newScaffold(p *goPackage, l *lock.Lock) scaffold {
	s := scaffold{
		Package: p.name, NewPackage: p.fresh,
		Generate: p.generateAt == "", GenerateLine: "//go:generate go tool idem generate ./...",
		Handler: p.directiveAt == "", Runtime: "runtime",
	}
	if p.declared[s.Runtime] {
		s.Runtime = "idemruntime"
	}
	for i := 1; i == 1 || s.collides(p, l); i++ {
		number := ""
		if i > 1 {
			number = fmt.Sprint(i)
		}
		s.Func, s.In, s.Row = "Greet"+number, "Greet"+number+"Input", "Greeting"+number
		s.Node, s.Table = "greet"+number, "greetings"+number
	}
	return s
}

func (s *scaffold) collides(p *goPackage, l *lock.Lock) bool {
	if _, taken := l.Names[handler.Nodes.Key][s.Node]; taken {
		return true
	}
	if _, taken := l.Tables[s.Table]; taken {
		return true
	}
	h := handler.Handler{Kind: handler.Action, Func: s.Func}
	names := append([]string{s.Func, s.In, s.Row, h.TestName()}, h.GeneratedNames()...)
	for _, name := range append(names, effect.Effect{Type: s.Row}.GeneratedNames()...) {
		if p.declared[name] {
			return true
		}
	}
	return false
}

func (s *scaffold) render() ([]byte, error) {
	var b bytes.Buffer
	if err := handlerTemplate.Execute(&b, s); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// lacks says what the package needs besides the file.
func (s *scaffold) lacks() string {
	var lacks []string
	if s.Generate {
		lacks = append(lacks, "the line "+s.GenerateLine)
	}
	if s.Handler {
		lacks = append(lacks, "an annotated handler (idem help directives)")
	}
	return strings.Join(lacks, ", and ")
}
