package lint_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-go/idem/lint"
)

// TestDocumentation: the help of each rule says why, with a bad and a good example, below the heading
// that the diagnostics' URL names; and the page of the linter lists it with its severity.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range lint.Analyzers {
		want := "https://pkg.go.dev/github.com/idem-go/idem/lint/" + a.Name + "#hdr-" + a.Name
		if a.URL != want {
			t.Errorf("%s: URL %s", a.Name, a.URL)
		}
		source, err := os.ReadFile(a.Name + "/doc.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"// # " + a.Name + "\n", "// Bad:\n", "// Good:\n"} {
			if !strings.Contains(string(source), part) {
				t.Errorf("%s: no %q", a.Name, part)
			}
		}
		if title, _, _ := strings.Cut(a.Doc, "\n"); !strings.HasPrefix(title, "finds ") {
			t.Errorf("%s: title %q", a.Name, title)
		}
		row := regexp.MustCompile(`(?m)^\| \[` + a.Name + `\]\(` + a.Name + `/doc\.go\) \| ` + lint.Severity(a.Name) + ` \|`)
		if !row.Match(page) {
			t.Errorf("%s: not on the page, or with another severity", a.Name)
		}
	}
}
