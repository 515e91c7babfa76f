package directive_test

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/idem-go/idem/gen/directive"
)

func TestFileFindsTheDeclarations(t *testing.T) {
	const src = `package p

// F does it.
//
//idem:action f
//go:noinline
func F() {}

//idem:action g
// Text behind a directive.
func (s *S) G() {}

//idem:effect table=a
type A struct{}

type (
	// B is in a group.
	//
	//idem:effect table=b
	B struct{}
	//idem:effect table=c
	C other.Struct // a comment
)

const text = "//idem:action in_a_string"

/*
//idem:action in_a_block
*/
func H() {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := all.File(fset, file, func(pos token.Pos, code, fix, message string) {
		t.Errorf("%s: %s %s", fset.Position(pos), code, message)
	})
	var got []string
	for _, p := range found {
		name := ""
		if p.Func != nil {
			name = p.Func.Name.Name
		} else {
			name = p.Type.Name.Name
		}
		got = append(got, name+" "+directive.Format(p.Directive))
	}
	want := []string{"F //idem:action f", "G //idem:action g", "A //idem:effect table=a", "B //idem:effect table=b", "C //idem:effect table=c"}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}
