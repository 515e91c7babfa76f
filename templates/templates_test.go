package templates_test

import (
	"strings"
	"testing"

	"github.com/idem-go/idem/templates"
)

func TestRenderBreaksLongLists(t *testing.T) {
	var columns []string
	for range 40 {
		columns = append(columns, `"column_name"`)
	}
	text := templates.Render("returning.sql.tmpl", map[string]any{"Stored": columns})
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > 120 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	if got := strings.Join(strings.Fields(text), " "); got != "RETURNING "+strings.Join(columns, ", ") {
		t.Errorf("the list is %s", got)
	}
}

func TestRenderPanicsOnAMissingFile(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	templates.Render("none.tmpl", nil)
}
