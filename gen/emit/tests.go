package emit

import (
	"fmt"
	"maps"

	"github.com/idem-go/idem/gen/model"
)

// TestFileName is the name of the file with the tests that idem writes into a package.
const TestFileName = model.GeneratedTests

// Tests writes the package's idem_gen_test.go; it returns nil when nothing in it is tested. migrations is the folder
// with the SQL of the tables, relative to the package; empty when there is none.
func Tests(p *model.Package, migrations string) ([]byte, error) {
	f := newFile(p, testImports(p))
	tested := false
	for _, d := range model.All[Tested](p) {
		if !d.HasTest() {
			continue
		}
		tested = true
		if err := d.EmitTest(f, migrations); err != nil {
			return nil, fmt.Errorf("the test of %s: %w", d.Selector(), err)
		}
	}
	if !tested {
		return nil, nil
	}
	source, err := f.render()
	if err != nil {
		return nil, err
	}
	return Format(p, source)
}

// testImports are the imports that the tests may need.
func testImports(p *model.Package) map[string]string {
	real := map[string]string{model.FaultTestPath: "faulttest", "testing": "testing"}
	maps.Copy(real, model.Runtime)
	for _, d := range model.All[Tested](p) {
		if d.HasTest() {
			maps.Copy(real, d.TestImports())
		}
	}
	return real
}
