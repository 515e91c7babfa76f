package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

// TestSameOutputEachTime runs everything over all cases again and again.
func TestSameOutputEachTime(t *testing.T) {
	src, err := filepath.Abs(filepath.Join("testdata", "src"))
	if err != nil {
		t.Fatal(err)
	}
	runs := 20
	if testing.Short() {
		runs = 3
	}
	pkgs := load(t, src, cases(t, src)...)
	first := ""
	for i := range runs {
		graph, err := checker.Analyze(everything, pkgs, &checker.Options{SanityCheck: i == 0})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := graph.PrintText(&out, -1); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = out.String()
		} else if out.String() != first {
			t.Fatalf("run %d differs from the first", i)
		}
	}
	if !strings.Contains(first, "[attemptkey]") {
		t.Error("nothing was found")
	}
}

// oddities are packages that may be hard to read. None of them crashes the rules.
const oddities = `
-- go.mod --
module odd.test

go 1.26
-- typeerror/a.go --
package typeerror

import "net/http"

func Key(h http.Header, n undefinedType) { h.Set("Idempotency-Key", missing(n)) }

type T struct { IdempotencyKey string; U }
-- syntax/a.go --
package syntax

func Key( {
-- notgenerated/a.go --
package notgenerated

import "context"

type IdempotencyKey string

func Charge(ctx context.Context, idempotencyKey string) error { return RecordEntry(ctx, Entry{}) }
-- cgo/a.go --
package cgo

// #include <stdlib.h>
import "C"

type Order struct{ IdempotencyKey string }

func Key(n int) Order { return Order{IdempotencyKey: string(rune(C.abs(C.int(n))))} }
-- tagged/a.go --
//go:build never

package tagged

import "missing.test/x"

var IdempotencyKey = x.Y
-- tagged/b.go --
package tagged

var idempotencyKey = ""
-- generic/a.go --
package generic

import "fmt"

type Number interface{ ~int | ~int64 }

type List[T any] struct {
	head T
	tail *List[T]
}

func (l *List[T]) Each(yield func(T) bool) {
	for ; l != nil; l = l.tail {
		if !yield(l.head) {
			return
		}
	}
}

type Sender[K comparable] interface{ Send(idempotencyKey K) error }

func All[K comparable, N Number, S Sender[K]](s S, l *List[K], n N) error {
	for i := N(0); i < n; i++ {
		for k := range l.Each {
			if err := s.Send(k); err == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("no luck with %v", n)
}

func recursive(idempotencyKey string, n int) string {
	if n == 0 {
		return idempotencyKey
	}
	return other(fmt.Sprint(idempotencyKey, n), n-1)
}

func other(clientToken string, n int) string { return recursive(clientToken, n) }

type Tree struct {
	Left, Right *Tree
	DedupeKey   string
}

func (t *Tree) Fill(key string) {
	if t == nil {
		return
	}
	t.DedupeKey = key
	t.Left.Fill(t.DedupeKey + "l")
	t.Right.Fill(t.DedupeKey + "r")
	defer func() { recover() }()
	go t.Fill(key)
	var arr [4]Tree
	for i := range arr {
		arr[i] = *t
		arr[i].Left, t = t, &arr[(i+1)%4]
	}
label:
	for {
		select {
		default:
			break label
		}
	}
}
-- empty/a.go --
package empty
-- main/main.go --
package main

import (
	"net/http"
	"os"
)

var key = map[string]func() string{"Idempotency-Key": func() string { return os.Args[0] }}

var handler = func(h http.Header) { h["Idempotency-Key"] = []string{key["x"]()} }

func init() { handler(nil) }

func init() { handler(http.Header{}) }

func main() {}
-- main/main_test.go --
package main

var order, other = two()

func two() (int, int) { return 1, other2 }

var other2 = len(key)
`

func TestOddPackages(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(oddities)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	config := &packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Tests: true, Env: append(os.Environ(), "GOFLAGS=", "GOWORK=off")}
	pkgs, err := packages.Load(config, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(everything, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	broken := 0
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			broken++
		}
	}
	if broken != 3 {
		t.Errorf("%d packages do not compile", broken)
	}
	for act := range graph.All() {
		if act.Err != nil {
			t.Errorf("%v: %v", act, act.Err)
		}
		for _, d := range act.Diagnostics {
			t.Errorf("%v: %s", act.Package.Fset.Position(d.Pos), d.Message)
		}
	}
}
