package directive

import (
	"fmt"
	"io"
	"strings"
)

// Help writes what a person needs to know about the directives.
func (r Registry) Help(w io.Writer) error {
	var b strings.Builder
	for i, s := range r {
		if i > 0 {
			b.WriteString("\n")
		}
		s.help(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Spec) help(b *strings.Builder) {
	fmt.Fprintf(b, "//idem:%s", s.Name)
	if s.Node != nil {
		fmt.Fprintf(b, " %s", s.Node.Name)
	}
	if s.Later {
		fmt.Fprintf(b, "    %s Not supported yet.\n", s.Doc)
		return
	}
	fmt.Fprintf(b, "\n    %s\n    Stands on: %s\n", s.Doc, s.stands())
	if s.Node != nil {
		fmt.Fprintf(b, "\n    %s\n        %s\n        %s\n", s.Node.Name, s.Node.Doc, capital(s.Node.Kind.Form)+".")
	}
	for _, p := range s.Params {
		p.help(b)
	}
}

func (s *Spec) stands() string {
	if s.Form == s.On.String() {
		return s.Form
	}
	return fmt.Sprintf("%s, %s", s.On, s.Form)
}

func (p *Param) help(b *strings.Builder) {
	name := p.Name
	if p.Kind != Flag {
		name += "=" + strings.ToUpper(p.Kind.Name)
	}
	fmt.Fprintf(b, "\n    %s\n        %s\n", name, p.Doc)
	if p.Later {
		b.WriteString("        Not supported yet.\n")
		return
	}
	fmt.Fprintf(b, "        %s. Default: %s.\n", capital(p.Kind.Form), p.Default)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
