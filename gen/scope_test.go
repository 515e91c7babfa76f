package gen

import (
	"path/filepath"
	"testing"
)

func TestScopeCovers(t *testing.T) {
	shop := module{dir: filepath.FromSlash("/src/shop"), path: "example.com/shop"}
	for _, c := range []struct {
		dir, pattern, importPath string
		want                     bool
	}{
		{"/src/shop", "./...", "example.com/shop", true},
		{"/src/shop", "./...", "example.com/shop/a/b", true},
		{"/src/shop", "./...", "example.com/shop/testdata/x", false},
		{"/src/shop", "./...", "example.com/shop/_x", false},
		{"/src/shop", "./...", "example.com/shop/.x", false},
		{"/src/shop", "./testdata/x", "example.com/shop/testdata/x", true},
		{"/src/shop", "./testdata/...", "example.com/shop/testdata/x", true},
		{"/src/shop/a", "./...", "example.com/shop/b", false},
		{"/src/shop/a", "./...", "example.com/shop/a", true},
		{"/src/shop/a", "../...", "example.com/shop/b", true},
		{"/src/shop/a", ".", "example.com/shop/a", true},
		{"/src/shop/a", ".", "example.com/shop/a/b", false},
		{"/src/shop", "./a/.../c", "example.com/shop/a/b/c", true},
		{"/src/shop", "./a/.../c", "example.com/shop/a/b/d", false},
		{"/src/shop", "./ab...", "example.com/shop/abc", true},
		{"/src/shop", "./a", "example.com/shop/ab", false},
		{"/elsewhere", "example.com/shop/...", "example.com/shop/a", true},
		{"/elsewhere", "example.com/shop/...", "example.com/shop", true},
		{"/elsewhere", "example.com/shop/a", "example.com/shop/a/b", false},
		{"/elsewhere", "example.com/shopping/...", "example.com/shop", false},
		{"/elsewhere", "all", "example.com/shop/a", true},
		{"/elsewhere", "/src/shop/...", "example.com/shop/a", true},
		{"/elsewhere", "/src/shop/a", "example.com/shop/b", false},
	} {
		dir, found := shop.folder(c.importPath)
		if !found {
			t.Fatalf("%s is not of the module", c.importPath)
		}
		if got := newScope(filepath.FromSlash(c.dir), []string{c.pattern}).covers(c.importPath, dir); got != c.want {
			t.Errorf("in %s, %s covers %s: %v", c.dir, c.pattern, c.importPath, got)
		}
	}
}

func TestModulePaths(t *testing.T) {
	shop := module{dir: filepath.FromSlash("/src/shop"), path: "example.com/shop"}
	for importPath, want := range map[string]string{
		"example.com/shop": "/src/shop", "example.com/shop/a/b": "/src/shop/a/b", "example.com/shopping": "", "other.test": "",
	} {
		dir, found := shop.folder(importPath)
		if found != (want != "") || found && dir != filepath.FromSlash(want) {
			t.Errorf("%s: %s, %v", importPath, dir, found)
		}
		if found && shop.importPath(dir) != importPath {
			t.Errorf("%s comes back as %s", importPath, shop.importPath(dir))
		}
	}
}
