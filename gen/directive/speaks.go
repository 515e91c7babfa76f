package directive

import "go/ast"

// All returns the comments of a file that are directives of idem, of whichever names; those for the linter are not.
func All(file *ast.File) []*ast.Comment {
	var found []*ast.Comment
	for _, group := range file.Comments {
		for _, c := range group.List {
			if raw, ok := ast.ParseDirective(c.Slash, c.Text); ok && raw.Tool == tool && raw.Name != linters {
				found = append(found, c)
			}
		}
	}
	return found
}

// RefuseTest reports the directives of a test file: nothing is generated for them, and nobody would see that.
func RefuseTest(file *ast.File, report Reporter) {
	for _, c := range All(file) {
		report(c.Slash, "test-file", "move what it stands on to a file whose name does not end in _test.go",
			"a directive in a test file: idem generates nothing for tests")
	}
}
