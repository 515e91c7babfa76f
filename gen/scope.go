package gen

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// scope is which packages a run's patterns name. It serves for packages that no longer exist, which the
// go command does not list.
type scope []pattern

type pattern struct {
	local  bool // of folders, else of import paths
	match  *regexp.Regexp
	prefix string // what stands before the first wildcard; all of it without
	wild   bool
}

// newScope reads patterns that are relative to dir, which is absolute.
func newScope(dir string, patterns []string) scope {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	s := make(scope, len(patterns))
	for i, p := range patterns {
		s[i] = newPattern(dir, p)
	}
	return s
}

func newPattern(dir, text string) pattern {
	p := pattern{local: isLocal(text)}
	switch {
	case filepath.IsAbs(text):
		text = filepath.ToSlash(filepath.Clean(text))
	case p.local:
		text = filepath.ToSlash(filepath.Join(dir, text))
	case text == "all":
		text = "..."
	}
	p.prefix, _, p.wild = strings.Cut(text, "...")
	expr := strings.ReplaceAll(regexp.QuoteMeta(text), `\.\.\.`, ".*")
	if before, found := strings.CutSuffix(expr, "/.*"); found {
		expr = before + "(/.*)?" // x/... is x as well
	}
	p.match = regexp.MustCompile("^(" + expr + ")$")
	return p
}

func isLocal(text string) bool {
	return filepath.IsAbs(text) || text == "." || text == ".." ||
		strings.HasPrefix(filepath.ToSlash(text), "./") || strings.HasPrefix(filepath.ToSlash(text), "../")
}

// covers reports whether a pattern names the package, which lies in dir.
func (s scope) covers(importPath, dir string) bool {
	for _, p := range s {
		name := importPath
		if p.local {
			name = filepath.ToSlash(dir)
		}
		if p.match.MatchString(name) && !(p.wild && passedOver(strings.TrimPrefix(name, p.prefix))) {
			return true
		}
	}
	return false
}

// passedOver reports whether a wildcard leaves out what it would have to stand for.
func passedOver(rest string) bool {
	for element := range strings.SplitSeq(rest, "/") {
		if isPassedOver(element) {
			return true
		}
	}
	return false
}

// isPassedOver reports whether the go command looks for packages in the folder only when it is named.
func isPassedOver(folder string) bool {
	return folder == "testdata" || folder == "vendor" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_")
}

// folder is where the packages that a pattern names begin.
func (p pattern) folder(module module) string {
	if !p.local {
		return module.dir
	}
	if p.wild && !strings.HasSuffix(p.prefix, "/") {
		return filepath.FromSlash(path.Dir(p.prefix))
	}
	return filepath.FromSlash(path.Clean(p.prefix))
}
