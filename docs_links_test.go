package idem_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestDocsLinks: a link within the repository leads to a file, and to a heading that the file has.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	checkPages(t, deadLinks)
	checkFinds(t, deadLinks, map[string]string{
		"[a](nowhere.md)":             "nowhere.md",
		"![a](../pictures/none.svg)":  "none.svg",
		"[a](../README.md#no-such)":   "no heading #no-such",
		"# One\n\n[a](#two)":          "no heading #two",
		"[a](../../elsewhere/x.md)":   "outside",
		"[a](../examples/sms#readme)": "not a page",
	})
}

var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

func deadLinks(p page) (problems []string) {
	for _, m := range link.FindAllStringSubmatch(p.prose(), -1) {
		target, anchor, anchored := strings.Cut(m[1], "#")
		if strings.Contains(target, ":") {
			continue // elsewhere on the web
		}
		to := p
		if target != "" {
			file := path.Join(path.Dir(p.path), target)
			if strings.HasPrefix(file, "..") {
				problems = append(problems, p.problem("the link %s leads outside of the repository", m[1]))
				continue
			}
			info, err := os.Stat(filepath.FromSlash(file))
			if err != nil {
				problems = append(problems, p.problem("the link %s: %v", m[1], err))
				continue
			}
			if !anchored {
				continue
			}
			if info.IsDir() || path.Ext(file) != ".md" {
				problems = append(problems, p.problem("the link %s: %s is not a page", m[1], file))
				continue
			}
			text, err := os.ReadFile(filepath.FromSlash(file))
			if err != nil {
				problems = append(problems, p.problem("the link %s: %v", m[1], err))
				continue
			}
			to = page{file, string(text)}
		}
		if !to.anchors()[anchor] {
			problems = append(problems, p.problem("the link %s: %s has no heading #%s", m[1], to.path, anchor))
		}
	}
	return problems
}

// anchors are the names under which GitHub links to the page's headings.
func (p page) anchors() map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(p.prose(), -1) {
		all[anchorOf(m[2])] = true
	}
	return all
}

func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}
