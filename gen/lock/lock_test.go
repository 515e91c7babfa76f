package lock_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/gen/schema"
)

func TestDecodeWhatWasEncoded(t *testing.T) {
	l := lock.New(registry.Kinds.Lock())
	l.Migrations.Format = schema.Goose
	l.Files["a/idem_gen.go"] = lock.Hash([]byte("x"))
	l.Names["nodes"]["<charge>"] = handler.Node{Kind: "action", Package: "p", Func: "Charge", Key: []string{"run_id", "node"}, In: "In"}
	l.Tables["t"] = schema.Table{Name: "t", Package: "p", Struct: "T", Key: []string{"run_id", "node"}, Retired: true}
	data, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := lock.Decode("idem.lock", data, registry.Kinds.Lock())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l, back); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
	if !strings.Contains(string(data), "\"<charge>\"") {
		t.Errorf("names are escaped:\n%s", data)
	}
}

func TestDecodeShortFiles(t *testing.T) {
	for _, text := range []string{"", "\n", "{}", `{"version": 1}`} {
		l, err := lock.Decode("idem.lock", []byte(text), registry.Kinds.Lock())
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(lock.New(registry.Kinds.Lock()), l); diff != "" {
			t.Errorf("%q: -want +got:\n%s", text, diff)
		}
	}
}

func TestDecodeSaysHowToRecover(t *testing.T) {
	for name, c := range map[string]struct {
		text, says string
		line       int
	}{
		"conflict":   {"{\n<<<<<<< HEAD\n=======\n>>>>>>> other\n}", "merge conflict markers; keep either side", 2},
		"broken":     {"{\n\"version\": 1,\n}", "restore the file", 3},
		"later":      {`{"version": 99}`, "later idem", 1},
		"two":        {"{}\n{}", "follows the end", 1},
		"outside":    {`{"files": {"../../etc/passwd": "sha256:0"}}`, "does not lie below", 1},
		"format":     {`{"migrations": {"format": "flyway"}}`, "flyway", 1},
		"table":      {`{"tables": {"x": {"table": "y", "key": ["a"]}}}`, "not complete", 1},
		"wrong type": {`{"files": []}`, "not valid", 1},
		"section":    {"{\n\"nodes\": []}", "nodes: ", 2},
		"entry":      {"{\"nodes\": {\n\"a\": {},\n\"b\": 1}}", `the node "b"`, 3},
		"form":       {"{\n\"tables\": {\"x\":\n{\"table\": \"x\", \"key\": [\"a\"], \"outbox\": {}}}}", `the table "x" is not complete`, 3},
	} {
		_, err := lock.Decode("shop/idem.lock", []byte(c.text), registry.Kinds.Lock())
		list, ok := errors.AsType[diag.List](err)
		if !ok || len(list) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := list[0]; !strings.Contains(d.Error(), c.says) || d.Pos.Line != c.line || d.Pos.File != "shop/idem.lock" {
			t.Errorf("%s: %v", name, d)
		}
	}
}

func TestHashDoesNotMindLineEnds(t *testing.T) {
	if lock.Hash([]byte("a\r\nb")) != lock.Hash([]byte("a\nb")) || lock.Hash([]byte("a")) == lock.Hash([]byte("b")) {
		t.Error("hashes tell the wrong things apart")
	}
}

func TestLocate(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"go.mod", "examples/one/idem.lock", "nested/go.mod"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		".": "idem.lock", "a/b": "idem.lock", "examples": "idem.lock", "examples/one": "examples/one/idem.lock",
		"examples/one/deep/er": "examples/one/idem.lock", "nested/x": "nested/idem.lock",
	} {
		got, err := lock.Locate(filepath.Join(root, dir))
		if err != nil || got != filepath.Join(root, want) {
			t.Errorf("%s: %s, %v", dir, got, err)
		}
	}
}

// TestDecodeSaysTheSameEachTime: of several things that are wrong the first by name is told.
func TestDecodeSaysTheSameEachTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"version": 1, "files": {"../c": "x", "../a": "x", "../d": "x", "../b": "x"}}`:    `"../a"`,
		`{"version": 1, "tables": {"c": {}, "a": {}, "d": {}, "b": {}, "e": {}, "f": {}}}`: `"a"`,
	} {
		for range 30 {
			if _, err := lock.Decode("idem.lock", []byte(text), registry.Kinds.Lock()); err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("%s: %v", text, err)
			}
		}
	}
}
