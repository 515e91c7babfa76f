package directive_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
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

// TestFileFindsOtherTargets: a directive may stand on a var declaration, or on a package clause.
func TestFileFindsOtherTargets(t *testing.T) {
	const src = `//idem:flow
package p

//idem:flow
var (
	// No block.
	//
	//idem:flow
	A = 1
)

//idem:flow
var B = 2

//idem:flow

var C = 3

//idem:flow
const D = 4
`
	flow := directive.Registry{{Name: "flow", On: directive.Targets{directive.Vars, directive.Package}}}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	found := flow.File(fset, file, func(pos token.Pos, code, fix, message string) {
		got = append(got, fmt.Sprintf("%d %s: %s; %s", fset.Position(pos).Line, code, message, fix))
	})
	for _, p := range found {
		switch {
		case p.File == file:
			got = append(got, "package")
		case p.Vars != nil:
			got = append(got, fmt.Sprint("vars ", fset.Position(p.Vars.Pos()).Line))
		}
	}
	want := []string{
		"8 wrong-target: //idem:flow stands on var A; put it directly above a var declaration or package clause",
		"15 detached-directive: a blank line or another comment separates //idem:flow from var C; remove what is between them",
		"19 wrong-target: //idem:flow stands on const D; put it directly above a var declaration or package clause",
		"package", "vars 5", "vars 13",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
