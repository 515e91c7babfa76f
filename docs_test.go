package idem_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page is a Markdown file of the documentation.
type page struct {
	path string // from the root of the repository, with slashes
	text string
}

func (p page) problem(format string, args ...any) string {
	return p.path + ": " + fmt.Sprintf(format, args...)
}

// readPages reads all pages that are written by hand.
func readPages(t *testing.T) []page {
	t.Helper()
	paths, err := filepath.Glob("docs/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("docs has %d pages; %v", len(paths), err)
	}
	var all []page
	for _, path := range append(paths, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "lint/README.md", "bench/README.md") {
		all = append(all, readPage(t, filepath.ToSlash(path)))
	}
	return all
}

func readPage(t *testing.T, path string) page {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return page{path, string(text)}
}

// docCheck returns what is wrong with a page.
type docCheck func(page) []string

// checkPages reports what check finds on any page.
func checkPages(t *testing.T, check docCheck) {
	t.Helper()
	for _, p := range readPages(t) {
		for _, problem := range check(p) {
			t.Error(problem)
		}
	}
}

// checkFinds makes sure that check can fail: each text, as a page of docs, has a problem that says what it is mapped to.
func checkFinds(t *testing.T, check docCheck, broken map[string]string) {
	t.Helper()
	for text, want := range broken {
		found := check(page{"docs/broken.md", text})
		if !slices.ContainsFunc(found, func(problem string) bool { return strings.Contains(problem, want) }) {
			t.Errorf("the page\n%s\nhas the problems %q, want one that says %q", text, found, want)
		}
	}
}

// block is a fenced code block.
type block struct {
	lang string
	from string // what its marker names, see docs_excerpt_test.go; "" without one
	code string // without the last line's end

	begin, end int // of the lines between the fences, in the page
}

var fence = regexp.MustCompile("(?ms)^(?:<!-- from (.+?) -->\n)?```(\\w*)\n(.*?)^```$")

func (p page) blocks() (all []block) {
	for _, m := range fence.FindAllStringSubmatchIndex(p.text, -1) {
		b := block{lang: p.text[m[4]:m[5]], code: strings.TrimSuffix(p.text[m[6]:m[7]], "\n"), begin: m[6], end: m[7]}
		if m[2] >= 0 {
			b.from = p.text[m[2]:m[3]]
		}
		all = append(all, b)
	}
	return all
}

// prose is the page without its code blocks.
func (p page) prose() string { return fence.ReplaceAllString(p.text, "") }

var codeSpan = regexp.MustCompile("`([^`]+)`")

// spans are the pieces of code within the prose, each in one line.
func (p page) spans() (all []string) {
	for paragraph := range strings.SplitSeq(p.prose(), "\n\n") {
		for _, m := range codeSpan.FindAllStringSubmatch(paragraph, -1) {
			all = append(all, strings.Join(strings.Fields(m[1]), " "))
		}
	}
	return all
}

// commands are the lines that a reader may copy into a shell: of the shell blocks, behind the prompts of the consoles, and
// in the prose.
func (p page) commands() []string {
	all := p.spans()
	for _, b := range p.blocks() {
		for line := range strings.Lines(b.code) {
			line = strings.TrimSuffix(line, "\n")
			switch command, prompt := strings.CutPrefix(line, "$ "); {
			case b.lang == "sh", b.lang == "console" && prompt:
				all = append(all, command)
			}
		}
	}
	return all
}

var heading = regexp.MustCompile(`(?m)^(#+) (.+)$`)

// headings are the page's titles of a level: 2 for those behind ##.
func (p page) headings(level int) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(p.prose(), -1) {
		if len(m[1]) == level {
			all = append(all, m[2])
		}
	}
	return all
}

// TestDocsPagesBegin: a page begins with one sentence on what it answers, and the README leads to it.
func TestDocsPagesBegin(t *testing.T) {
	t.Parallel()
	readme := readPage(t, "README.md").text
	begins := func(p page) (problems []string) {
		if !strings.HasPrefix(p.path, "docs/") {
			return nil
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(heading.ReplaceAllString(p.text, ""), "\n\n"), "\n\n")
		if !strings.HasPrefix(first, "This page ") || strings.Count(first+" ", ". ") != 1 || !strings.HasSuffix(first, ".") {
			problems = append(problems, p.problem("begins with %q, want one sentence on what this page answers", first))
		}
		if !strings.Contains(readme, "]("+p.path+")") {
			problems = append(problems, p.problem("the README has no link to it"))
		}
		return problems
	}
	checkPages(t, begins)
	checkFinds(t, begins, map[string]string{
		"# A\n\nThis page says it. Twice.\n": "want one sentence",
		"# A\n\nFirst of all.\n":             "want one sentence",
		"# A\n\nThis page says it.\n":        "no link",
	})
}
