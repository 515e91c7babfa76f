package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// Declaration is a declaration that becomes Go code. Of a declaration that is none, nothing is emitted.
type Declaration interface {
	model.Declaration
	// Imports maps the paths of what its code may import to the real names of the packages, beside the runtime and time.
	Imports() map[string]string
	// Params are the names of its functions' parameters, which no import may have.
	Params(p *model.Package) []string
	// Emit writes its code.
	Emit(f *File) error
}

// Tested is a declaration with a generated test.
type Tested interface {
	model.Declaration
	// HasTest reports whether there is one. Where not, Untested says what it takes.
	HasTest() bool
	Untested() string
	// TestImports are [Declaration].Imports of the test, beside testing and the harness.
	TestImports() map[string]string
	// EmitTest writes the test. migrations is the folder with the SQL of the tables; empty without.
	EmitTest(f *File, migrations string) error
}

// File is a Go file while it is written.
type File struct {
	*jen.File
	Package *model.Package
}
