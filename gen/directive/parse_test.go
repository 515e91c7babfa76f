package directive_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/registry"
)

// all are the directives that there are.
var all = registry.Kinds.Directives()

// parse reads a comment and returns the directive with what was reported.
func parse(text string) (*directive.Directive, []string) {
	var reports []string
	d := all.Parse(&ast.Comment{Slash: 1, Text: text}, func(pos token.Pos, code, fix, message string) {
		reports = append(reports, fmt.Sprintf("%d %s: %s; %s", pos-1, code, message, fix))
	})
	return d, reports
}

func TestParse(t *testing.T) {
	d, reports := parse(`//idem:step finalize_invoice queue=money max_output=1MiB timeout=1m30s max_attempts=3 max_reclaims=0 "fixture=sample"`)
	if len(reports) > 0 {
		t.Fatal(reports)
	}
	if d.Spec.Name != "step" || d.Node.Value != "finalize_invoice" {
		t.Errorf("got %s %v", d.Spec.Name, d.Node.Value)
	}
	check := func(name string, got, want any) {
		if got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	check("queue", directive.Value[string](d, "queue"), "money")
	check("max_output", directive.Value[int64](d, "max_output"), int64(1<<20))
	check("timeout", directive.Value[time.Duration](d, "timeout"), 90*time.Second)
	check("max_attempts", directive.Value[int](d, "max_attempts"), 3)
	check("max_reclaims", directive.Value[int](d, "max_reclaims"), 0)
	check("fixture", directive.Value[string](d, "fixture"), "sample")
	check("backoff, which is not given", directive.Value[time.Duration](d, "backoff"), time.Duration(0))
	if d.Arg("max_reclaims") == nil || d.Arg("max_input") != nil {
		t.Error("a zero that is given must differ from what is not given")
	}
}

func TestParseEffect(t *testing.T) {
	d, reports := parse("//idem:effect  on_conflict=update(total,note)\t\"table=my schema.my table\" key=OrderID,line ")
	if len(reports) > 0 {
		t.Fatal(reports)
	}
	if got := directive.Value[directive.Table](d, "table"); got != (directive.Table{"my schema", "my table"}) {
		t.Errorf("table is %+v", got)
	}
	if got := directive.Value[[]string](d, "key"); !slices.Equal(got, []string{"OrderID", "line"}) {
		t.Errorf("key is %v", got)
	}
	if got := directive.Value[directive.OnConflict](d, "on_conflict").Update; !slices.Equal(got, []string{"total", "note"}) {
		t.Errorf("update is %v", got)
	}
}

func TestPositionsAreThoseOfTheTokens(t *testing.T) {
	d, _ := parse(`//idem:action charge  timeout=10s "queue=a" `)
	want := map[string][2]token.Pos{"timeout": {22, 30}, "queue": {34, 41}}
	for name, at := range want {
		if a := d.Arg(name); a.Pos-1 != at[0] || a.ValuePos-1 != at[1] {
			t.Errorf("%s stands at %d and its value at %d, want %v", name, a.Pos-1, a.ValuePos-1, at)
		}
	}
}

func TestItemsHavePlaces(t *testing.T) {
	d, _ := parse("//idem:effect key=OrderID2,OrderID on_conflict=update(Totals,Total)")
	for _, test := range []struct {
		arg, item string
		want      token.Pos
	}{
		{"key", "OrderID2", 18}, {"key", "OrderID", 27}, {"on_conflict", "Total", 61}, {"key", "Missing", 18},
	} {
		if got := d.Arg(test.arg).ItemPos(test.item) - 1; got != test.want {
			t.Errorf("%s of %s stands at %d, want %d", test.item, test.arg, got, test.want)
		}
	}
}

func TestFlagsTakeNoValue(t *testing.T) {
	existing := all.Lookup("effect").Param("existing")
	existing.Later = false
	defer func() { existing.Later = true }()
	d, reports := parse("//idem:effect table=a existing")
	if len(reports) > 0 || !directive.Value[bool](d, "existing") || directive.Format(d) != "//idem:effect table=a existing" {
		t.Errorf("got %s, %v", directive.Format(d), reports)
	}
	if _, reports := parse("//idem:effect existing=true"); len(reports) != 1 || !strings.Contains(reports[0], "14 unexpected-value") {
		t.Errorf("got %v", reports)
	}
}

func TestFormat(t *testing.T) {
	tests := map[string]string{
		"//idem:action  charge   queue=a timeout=1s ":     "//idem:action charge timeout=1s queue=a",
		`//idem:effect "table=my ledger" "key=A,B"`:       `//idem:effect "table=my ledger" key=A,B`,
		"//idem:effect `table=a\"b`":                      `//idem:effect "table=a\"b"`,
		`//idem:effect "table=\x00"`:                      `//idem:effect "table=\x00"`,
		"//idem:effect on_conflict=update(a,b) table=t.u": "//idem:effect table=t.u on_conflict=update(a,b)",
	}
	for text, want := range tests {
		d, reports := parse(text)
		if got := directive.Format(d); got != want || len(reports) > 0 {
			t.Errorf("%s becomes %s, want %s (%v)", text, got, want, reports)
		}
	}
}

func TestWhatIsNoDirective(t *testing.T) {
	for _, text := range []string{
		"// idem runs a step once.",
		"// idem: a word on the name.",
		"// idem:step is the directive for steps.",
		"// idem:tity is not a word.",
		"//\tidem:step charge",
		"//\t//idem:step charge",
		"// //idem:step charge",
		"//idempotent:step",
		"//idempotency keys live an hour.",
		"//go:generate go tool idem generate ./...",
		"//nolint:idem",
		"/* idem makes steps run once */",
		"//idem generates this.",
		"// Idem: see the step below.",
	} {
		if d, reports := parse(text); d != nil || len(reports) > 0 {
			t.Errorf("%s: got %v %v", text, d, reports)
		}
	}
}

func TestNearMissesSayWhatToWrite(t *testing.T) {
	tests := map[string]string{
		"// idem:step charge timeout=1s":   "write //idem:step charge timeout=1s",
		"//   idem:step charge":            "write //idem:step charge",
		"//idem: step charge":              "write //idem:step charge",
		"//idem :step charge":              "write //idem:step charge",
		"//Idem:step charge":               "write //idem:step charge",
		"//IDEM:STEP charge":               "write //idem:step charge",
		"/*idem:step charge*/":             "write //idem:step charge",
		"/* idem:effect table=a */":        "write //idem:effect table=a",
		"//idem-x:step charge":             "write //idem:step charge",
		"//idem.step charge":               "write //idem:step charge",
		"//idem/step charge":               "write //idem:step charge",
		"//idem step charge":               "write //idem:step charge",
		"//idem:Step charge":               "write //idem:step charge",
		"//idem:_x":                        "write //idem:_x",
		"// idem:stpe charge":              "write //idem:step charge",
		"//idem:":                          "write one of //idem:action, //idem:step, //idem:effect, //idem:outbox, //idem:provider",
		"/*idem:step charge\ntimeout=1s*/": "write //idem:step charge",
	}
	for text, fix := range tests {
		_, reports := parse(text)
		if len(reports) != 1 || !strings.HasPrefix(reports[0], "0 near-miss: ") || !strings.HasSuffix(reports[0], "; "+fix) {
			t.Errorf("%s: got %q, want the fix %q", text, reports, fix)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"//idem:action charge timeout=10s max_attempts=3", `//idem:effect "table=my ledger" key=A,B on_conflict=update(C)`,
		"//idem:step `a` \"b", "//idem:effect table=\"x", "//idem:", "// idem:step x", "/*idem:step*/", "//idem:effect on_conflict=update(a, b",
		"//idem:action a // b", "//idem:action = = =", "//idem:action timeout = ", "//idem:effect existing=1 \"\\x3d\"", "//idem:action a timeout:10s\u00a0b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\r") || len(text) < 2 {
			return // not one comment
		}
		inside := func(pos token.Pos, code, fix, message string) {
			if pos < 1 || int(pos) > len(text) {
				t.Errorf("%s stands at byte %d of %d", code, pos-1, len(text))
			}
			if code == "" || message == "" {
				t.Errorf("a report without a code or message: %q %q", code, message)
			}
		}
		d := all.Parse(&ast.Comment{Slash: 1, Text: text}, inside)
		if d == nil {
			return
		}
		once := directive.Format(d)
		again := all.Parse(&ast.Comment{Slash: 1, Text: once}, func(_ token.Pos, code, _, message string) {
			if code != "missing-name" {
				t.Errorf("%q was written as %q, which is wrong: %s", text, once, message)
			}
		})
		if again == nil || directive.Format(again) != once {
			t.Errorf("%q was written as %q, and that as %q", text, once, directive.Format(again))
		}
	})
}
