package load

import (
	"go/parser"
	"go/token"
	"testing"
)

func TestConstraint(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"p.go", "package p\n", ""},
		{"linux.go", "package p\n", ""},
		{"p_linux.go", "package p\n", "linux"},
		{"p_amd64.go", "package p\n", "amd64"},
		{"p_linux_arm64.go", "package p\n", "linux && arm64"},
		{"p_arm64_linux.go", "package p\n", "linux"},
		{"p_unix.go", "package p\n", ""}, // no system: go build takes it everywhere
		{"p_windows.pb.go", "package p\n", "windows"},
		{"p_other.go", "//go:build !windows || (pro && !never)\n\npackage p\n", "!windows || (pro && !never)"},
		{"p_linux.go", "//go:build pro || test\n\npackage p\n", "linux && (pro || test)"},
		{"p.go", "// Some text.\r\n\r\n//go:build pro\r\n\r\npackage p\r\n", "pro"},
		{"p.go", "\ufeff//go:build pro\n\npackage p\n", "pro"},
		{"p.go", "package p\n\n//go:build pro\n", ""},
		{"p.go", "package p\n\n// int x;\nimport \"C\"\n", "cgo"},
		{"p_linux.go", "//go:build pro\n\npackage p\n\nimport \"C\"\n", "linux && cgo && pro"},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), c.name, c.src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := Constraint("/src/p_windows/"+c.name, file); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.src, got, c.want)
		}
	}
}
