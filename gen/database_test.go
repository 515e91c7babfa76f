package gen_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idem-go/idem/gen"
)

// TestGeneratedCodeOnPostgres runs generated code and migrations: every column type there and back, in each
// of pgx's modes, and what happens to a second write.
func TestGeneratedCodeOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Postgres, and compiles against it")
	}
	onDatabase := []string{"columns", "defaults", "group", "item", "key", "ownforms", "quoting", "update"}
	module := newModule(t)
	for _, c := range readCases(t) {
		if slices.Contains(onDatabase, c.name) {
			module.addCase(c)
		}
	}
	module.generate(gen.Options{})
	archive, err := txtar.ParseFile("testdata/database.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		module.write(f.Name, string(f.Data))
	}
	module.test(t, "./...")
}
