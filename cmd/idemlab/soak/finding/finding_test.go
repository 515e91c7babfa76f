package finding

import (
	"strings"
	"testing"
)

func TestFindingsKeepTheFirstExamples(t *testing.T) {
	t.Parallel()
	f := New()
	f.Add(Violation{"I2", 1, []string{"first"}}, Violation{"I3", 0, nil})
	f.Add(Violation{"I2", 3, []string{"a", "b", "c"}})
	f.Add(Violation{"I2", 2, []string{"d"}})
	if list := f.List(); len(list) != 1 || list[0].Count != 3 || list[0].Examples[0] != "first" || f.Count() != 3 {
		t.Errorf("%+v", list)
	}
}

func TestViolationKeepsAFewExamples(t *testing.T) {
	t.Parallel()
	v := Violation{Oracle: "I1"}
	for range 2 * MaxExamples {
		v.Add("a case")
	}
	var out strings.Builder
	Write(&out, []Violation{v}, func(string) string { return "it must hold" })
	if want := "I1 is violated, 10 times: it must hold\n" + strings.Repeat("    a case\n", MaxExamples); out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
