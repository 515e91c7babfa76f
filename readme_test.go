package idem_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// readmeSections are the README's titles, in the order in which a stranger needs them.
var readmeSections = []string{
	"What it promises, and on which condition",
	"See it",
	"A first handler in five minutes",
	"Where each crash leaves you",
	"Adopting it in a service that exists",
	"Limits",
	"Links",
}

// TestReadmeIsShort: it can be read at once, in the order of a stranger's questions.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	for _, problem := range lengthy(readPage(t, "README.md")) {
		t.Error(problem)
	}
	checkFinds(t, lengthy, map[string]string{
		strings.Repeat("x\n", 201):          "201 lines",
		"# idem\n\n## Links\n\n## Limits\n": "the sections",
		strings.Repeat("long ", 23):         "115 characters",
	})
}

func lengthy(p page) (problems []string) {
	if n := strings.Count(p.text, "\n"); n > 200 {
		problems = append(problems, p.problem("it has %d lines, at most 200 are read", n))
	}
	if sections := p.headings(2); !slices.Equal(sections, readmeSections) {
		problems = append(problems, p.problem("the sections are %q, want %q", sections, readmeSections))
	}
	for line := range strings.Lines(p.text) {
		if n := utf8.RuneCountInString(line); n > 111 && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "![") {
			problems = append(problems, p.problem("a line has %d characters: %s", n, line))
		}
	}
	return problems
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	if !found {
		t.Fatalf("the README has no %q", from)
	}
	section, _, _ := strings.Cut(rest, to)
	return section
}
