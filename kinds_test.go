package idem_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// stages are the files of a kind's folder by the beginning of their names, with what they alone may import. A file of
// no stage is the kind's model.
var stages = map[string][]string{
	"directive": {idemModule + "/gen/directive"},
	"resolve":   {"go/ast", "go/types", idemModule + "/gen/directive", idemModule + "/gen/load", idemModule + "/gen/resolve"},
	"emit":      {"github.com/dave/jennifer/jen", idemModule + "/gen/emit", idemModule + "/templates"},
	"lock":      {idemModule + "/gen/lock"},
	"table":     {idemModule + "/gen/schema", idemModule + "/templates"},
}

// TestStagesOfAKindAreApart: a kind has a folder with files for each stage, and the stages are as far from each other
// there as elsewhere. What several of them need stands in the model; kind.go alone puts them together.
func TestStagesOfAKindAreApart(t *testing.T) {
	t.Parallel()
	for _, pkg := range loadKinds(t) {
		for _, file := range pkg.Syntax {
			stage := stageOf(pkg.Fset, file.Pos())
			if stage == "kind" {
				continue
			}
			name := filepath.Base(pkg.Fset.Position(file.Pos()).Filename)
			for _, spec := range file.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				if isOfAStage(path) && !slices.Contains(stages[stage], path) {
					t.Errorf("%s: %s imports %s, which is for another stage", pkg.PkgPath, name, path)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				used := pkg.TypesInfo.Uses[id]
				if used == nil || used.Pkg() != pkg.Types {
					return true
				}
				if of := stageOf(pkg.Fset, used.Pos()); of != stage && of != "model" {
					t.Errorf("%s: %s uses %s, which is of the stage %s", pkg.PkgPath, name, id.Name, of)
				}
				return true
			})
		}
	}
}

func loadKinds(t *testing.T) []*packages.Package {
	t.Helper()
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo
	kinds, err := packages.Load(&packages.Config{Context: t.Context(), Mode: mode}, "./gen/kind/...", "./gen/testdata/kind/...")
	if err != nil || packages.PrintErrors(kinds) > 0 {
		t.Fatal("the kinds do not load: ", err)
	}
	kinds = slices.DeleteFunc(kinds, func(pkg *packages.Package) bool { return pkg.PkgPath == idemModule+"/gen/kind" })
	if len(kinds) < 5 {
		t.Fatalf("%d kinds", len(kinds))
	}
	return kinds
}

// stageOf is the stage of the file that a place is in.
func stageOf(fset *token.FileSet, pos token.Pos) string {
	word, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(fset.Position(pos).Filename), ".go"), "_")
	if word == "kind" || stages[word] != nil {
		return word
	}
	return "model"
}

// isOfAStage reports whether only some stages may import the package.
func isOfAStage(path string) bool {
	for _, paths := range stages {
		if slices.Contains(paths, path) {
			return true
		}
	}
	return false
}
