package idem_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/registry"
	"github.com/idem-go/idem/runtime"
)

// TestHelpNamesTheDefaultsOfTheRuntime: what the help calls the default of an argument means, written as that argument,
// what the runtime does without it.
func TestHelpNamesTheDefaultsOfTheRuntime(t *testing.T) {
	t.Parallel()
	limits := map[string]any{
		"timeout": runtime.DefaultTimeout, "max_attempts": runtime.DefaultMaxAttempts, "backoff": runtime.DefaultBackoff,
		"max_input": int64(runtime.DefaultMaxPayload), "max_output": int64(runtime.DefaultMaxPayload), "queue": runtime.DefaultQueue,
	}
	all := registry.Kinds.Directives()
	for _, name := range []string{"action", "step"} {
		for _, p := range all.Lookup(name).Params {
			want, isLimit := limits[p.Name]
			if !isLimit {
				continue
			}
			text := fmt.Sprintf("//idem:%s x %s=%s", name, p.Name, p.Default)
			d := all.Parse(&ast.Comment{Text: text}, func(_ token.Pos, _, _, message string) { t.Errorf("%s: %s", text, message) })
			if got := directive.Value[any](d, p.Name); got != want {
				t.Errorf("the help of //idem:%s says that %s is %v by default; it is %v", name, p.Name, got, want)
			}
		}
	}
}

// TestHelpOfReclaims: a handler without max_reclaims= may be reclaimed without end.
func TestHelpOfReclaims(t *testing.T) {
	t.Parallel()
	says := registry.Kinds.Directives().Lookup("step").Param("max_reclaims").Default
	if bounded := runtime.NewStep[int, int]("x").Limits().MaxReclaims != nil; bounded != (says != "unbounded") {
		t.Errorf("the help says that max_reclaims is %s by default; there is a bound: %v", says, bounded)
	}
}

// TestHelpOfBackoff: the longest wait between two attempts is a constant that only the runtime can name.
func TestHelpOfBackoff(t *testing.T) {
	t.Parallel()
	says := registry.Kinds.Directives().Lookup("step").Param("backoff").Doc
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo
	loaded, err := packages.Load(&packages.Config{Context: t.Context(), Mode: mode}, "./runtime/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range loaded {
		if c, ok := pkg.Types.Scope().Lookup("maxBackoff").(*types.Const); ok {
			longest, _ := constant.Int64Val(c.Val())
			if time.Duration(longest) != time.Hour || !strings.Contains(says, "up to an hour") {
				t.Errorf("the help says %q, and the longest backoff is %v", says, time.Duration(longest))
			}
			return
		}
	}
	t.Error("no package of the runtime has the constant maxBackoff")
}
