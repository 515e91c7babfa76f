package idem_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocsPaths: a file or folder that ARCHITECTURE.md names is there, in the folder that its row or sentence speaks of.
func TestDocsPaths(t *testing.T) {
	t.Parallel()
	for _, problem := range lostPaths(readPage(t, "ARCHITECTURE.md")) {
		t.Error(problem)
	}
	checkFinds(t, lostPaths, map[string]string{
		"`store/nothing.go`":       "store/nothing.go",
		"`gen/kind/flow`":          "gen/kind/flow",
		"`internal/nobody`, `.x`":  "internal/nobody",
		"    nowhere/     nothing": "nowhere",
	})
}

// roots are the folders below which a path may be meant.
var roots = []string{".", "runtime", "runtime/internal", "runtime/faulttest", "gen", "gen/kind", "gen/kind/effect", "lint", "cmd/idem"}

var (
	pathSpan = regexp.MustCompile(`^[a-z][\w.]*(/[\w.*]+)*/?$`)
	treeLine = regexp.MustCompile(`(?m)^    ( *)([a-z]+(?:/[a-z]+)*/) +\S`)
)

func lostPaths(p page) (problems []string) {
	for _, span := range p.spans() {
		if !pathSpan.MatchString(span) || !strings.Contains(span, "/") && path.Ext(span) != ".go" {
			continue
		}
		if !exists(span) {
			problems = append(problems, p.problem("there is no %s", span))
		}
	}
	return append(problems, lostFolders(p)...)
}

// lostFolders looks at the page's tree of folders.
func lostFolders(p page) (problems []string) {
	above := ""
	for _, m := range treeLine.FindAllStringSubmatch(p.text, -1) {
		dir := m[2]
		if m[1] == "" {
			above = dir
		} else {
			dir = above + dir
		}
		if info, err := os.Stat(filepath.FromSlash(dir)); err != nil || !info.IsDir() {
			problems = append(problems, p.problem("there is no folder %s", dir))
		}
	}
	return problems
}

func exists(name string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		found, err := filepath.Glob(filepath.FromSlash(path.Join(root, name)))
		return err == nil && len(found) > 0
	})
}
