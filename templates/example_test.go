package templates_test

import (
	"fmt"

	"github.com/idem-go/idem/templates"
)

// Fragments are finished when they come: quoted identifiers, checked types.
func ExampleRender() {
	fmt.Println(templates.Render("select.sql.tmpl", map[string]any{
		"Stored": []string{`"name"`}, "Table": `"greetings"`, "Match": []string{`"run_id" = $1::text`},
	}))
	// Output:
	// SELECT "name" FROM "greetings"
	// WHERE "run_id" = $1::text
}
