package gen_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen"
	"github.com/idem-go/idem/gen/output"
)

// generatedShop is a shop that was generated for.
func generatedShop(t *testing.T) *module {
	m := newShop(t)
	m.generate(gen.Options{})
	return m
}

// wantUnseen runs and expects that nothing changes, and that these files are named as not looked at.
func (m *module) wantUnseen(files ...string) {
	m.t.Helper()
	result := m.wantDrift(gen.Options{}, nil)
	var got []string
	for _, note := range result.Unseen {
		name, _, _ := strings.Cut(note, ":")
		got = append(got, name)
	}
	if !slices.Equal(got, files) {
		m.t.Errorf("not looked at: %q", result.Unseen)
	}
}

func (m *module) move(from, to string) {
	m.t.Helper()
	if err := os.Rename(filepath.Join(m.dir, from), filepath.Join(m.dir, to)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *module) remove(name string) {
	m.t.Helper()
	if err := os.RemoveAll(filepath.Join(m.dir, name)); err != nil {
		m.t.Fatal(err)
	}
}

// TestUnseenIsNotGone hides a package's directives from the run in each way that there is.
func TestUnseenIsNotGone(t *testing.T) {
	for name, hide := range map[string]func(m *module) (file string){
		"another system": func(m *module) string {
			m.move("shop/shop.go", "shop/shop_plan9.go")
			return "shop/shop_plan9.go"
		},
		"another architecture": func(m *module) string {
			m.move("shop/shop.go", "shop/shop_mips64.go")
			return "shop/shop_mips64.go"
		},
		"a tag": func(m *module) string {
			m.write("shop/shop.go", "//go:build pro\n\n"+shopSource)
			return "shop/shop.go"
		},
		"a tag, and another file": func(m *module) string {
			m.write("shop/other.go", "package shop\n")
			m.write("shop/shop.go", "//go:build pro\r\n\r\n"+strings.ReplaceAll(shopSource, "\n", "\r\n"))
			return "shop/shop.go"
		},
		"a tag, and wrong syntax": func(m *module) string {
			m.write("shop/shop.go", "//go:build pro\n\n"+shopSource+"\nfunc (")
			return "shop/shop.go"
		},
		"cgo": func(m *module) string {
			m.t.(*testing.T).Setenv("CGO_ENABLED", "0")
			m.write("shop/shop.go", strings.Replace(shopSource, "import (", "import \"C\"\n\nimport (", 1))
			return "shop/shop.go"
		},
		"ignore in go.mod": func(m *module) string {
			m.write("go.mod", m.read("go.mod")+"\nignore ./shop\n")
			return "shop/shop.go"
		},
		"a module of its own": func(m *module) string {
			m.write("shop/go.mod", "module shop.test\n")
			return "shop/shop.go"
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := generatedShop(t)
			m.wantUnseen(hide(m))
		})
	}
}

// TestUnseenUntilItIsGone: what was hidden is given up when the run sees that no directive is there any more.
func TestUnseenUntilItIsGone(t *testing.T) {
	gone := map[string]output.State{
		"idem.lock": output.Changed, "shop/idem_gen.go": output.Orphaned, "shop/idem_gen_test.go": output.Orphaned,
	}
	for name, give := range map[string]func(m *module){
		"no directive is left": func(m *module) { m.write("shop/shop.go", "//go:build pro\n\npackage shop\n") },
		"the file is gone":     func(m *module) { m.remove("shop/shop.go") },
		"it is no Go file":     func(m *module) { m.move("shop/shop.go", "shop/shop.go.txt") },
		"it is a folder": func(m *module) {
			m.remove("shop/shop.go")
			m.write("shop/shop.go/readme", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := generatedShop(t)
			m.write("shop/shop.go", "//go:build pro\n\n"+shopSource)
			m.wantUnseen("shop/shop.go")
			give(m)
			if result := m.wantDrift(gen.Options{}, gone); len(result.Unseen) > 0 {
				t.Errorf("not looked at: %q", result.Unseen)
			}
		})
	}
}

// TestBrokenFilesAreNotGone: a file that cannot be parsed or read is an error where the lock knows its package.
func TestBrokenFilesAreNotGone(t *testing.T) {
	const conflict = "<<<<<<< HEAD\n"
	for name, c := range map[string]struct {
		spoil func(m *module)
		at    string
	}{
		"a comment that is not closed": {func(m *module) { m.write("shop/shop.go", strings.Replace(shopSource, "//idem", "/*\n//idem", 1)) }, "shop/shop.go:8:1"},
		"a conflict":                   {func(m *module) { m.write("shop/shop.go", conflict+shopSource) }, "shop/shop.go:1:1"},
		"a conflict beside it":         {func(m *module) { m.write("shop/other.go", conflict+"package shop\n") }, "shop/other.go:1:1"},
		"all but the conflict is gone": {func(m *module) { m.write("shop/shop.go", conflict) }, "shop/shop.go:1:1"},
		"a conflict of this build": {func(m *module) {
			m.remove("shop/shop.go")
			m.write("shop/shop_"+runtime.GOOS+".go", conflict+"package shop\n")
		}, "shop/shop_" + runtime.GOOS + ".go:1:1"},
		"another encoding": {func(m *module) { m.write("shop/shop.go", "\xff\xfep\x00a\x00c\x00") }, "shop/shop.go:1:1"},
		"a link to nothing": {func(m *module) {
			m.remove("shop/shop.go")
			if err := os.Symlink("nowhere", filepath.Join(m.dir, "shop/shop.go")); err != nil {
				m.t.Skip(err)
			}
		}, "shop/shop.go:1:1"},
		"a link to nothing beside it": {func(m *module) {
			if err := os.Symlink("nowhere", filepath.Join(m.dir, "shop/other.go")); err != nil {
				m.t.Skip(err)
			}
		}, "shop/other.go:1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			m := generatedShop(t)
			c.spoil(m)
			_, err := m.try(gen.Options{})
			if err == nil || !strings.HasPrefix(filepath.ToSlash(err.Error()), c.at+": ") {
				t.Errorf("got %v, want what is wrong at %s", err, c.at)
			}
		})
	}
}

// TestHalfOfAPackageUnseen: one file is generated for a package, which a run must not take a part from.
func TestHalfOfAPackageUnseen(t *testing.T) {
	const entry, book = "//idem:effect\ntype Entry struct{ Cents int64 }\n", "package ledger\n\n//idem:effect\ntype Entry struct{ Cents int64 }\n"
	m := newShop(t)
	m.write("ledger/ledger.go", strings.Replace(ledgerSource, entry, "", 1))
	m.write("ledger/entry.go", book)
	m.generate(gen.Options{})

	m.write("ledger/entry.go", "//go:build pro\n\n"+book)
	if list := m.wantRefused(gen.Options{}, "build-constraint"); !strings.HasPrefix(filepath.ToSlash(list.Error()), "ledger/entry.go:5:1: ") {
		t.Errorf("got %v", list)
	}
	t.Setenv("GOFLAGS", "-mod=mod -tags=pro")
	m.wantRefused(gen.Options{}, "build-constraint")

	m.write("ledger/ledger.go", "//go:build pro\n\n"+m.read("ledger/ledger.go"))
	m.generate(gen.Options{})
	for _, name := range []string{"ledger/idem_gen.go", "ledger/idem_gen_test.go"} {
		if got := m.read(name); !strings.HasPrefix(got, output.Header+"\n\n//go:build pro\n\npackage ledger\n") {
			t.Errorf("%s begins with\n%.200s", name, got)
		}
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	m.remove("shop/shop.go") // it needs the other package
	m.generate(gen.Options{})
	m.wantUnseen("ledger/entry.go", "ledger/ledger.go")
}

// TestNeverBuiltFilesMayBearDirectives: what the lock does not know and this build has not is only said.
func TestNeverBuiltFilesMayBearDirectives(t *testing.T) {
	m := generatedShop(t)
	m.write("shop/template.go", "//go:build ignore\n\npackage main\n\n//idem:effect\ntype Row struct{ A int }\n")
	m.wantUnseen("shop/template.go")
}

// TestRenamedModule: what the patterns leave alone stays, also when its import path is another now.
func TestRenamedModule(t *testing.T) {
	m := newModule(t)
	m.write("ledger/ledger.go", ledgerSource)
	m.write("shop/shop.go", strings.NewReplacer("book", "buy", "Book", "Buy", "Entry", "Basket", "package ledger", "package shop").Replace(ledgerSource))
	m.generate(gen.Options{})
	m.write("go.mod", strings.Replace(m.read("go.mod"), "module cases.test", "module renamed.test/v2", 1))
	m.generate(gen.Options{Patterns: []string{"./ledger"}})
	for _, name := range []string{`"buy"`, `"basket"`, `"shop/idem_gen.go"`, `"renamed.test/v2/ledger"`, `"cases.test/shop"`} {
		if lock := m.read("idem.lock"); !strings.Contains(lock, name) || strings.Contains(lock, "retired") {
			t.Errorf("the lock has no %s:\n%s", name, lock)
		}
	}
	m.generate(gen.Options{})
	if lock := m.read("idem.lock"); strings.Contains(lock, "cases.test") {
		t.Errorf("the lock has the old name:\n%s", lock)
	}
}
