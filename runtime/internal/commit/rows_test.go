package commit

import (
	"strconv"
	"strings"
	"testing"

	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/step"
)

// finished returns a held step whose handler has run, and kept nothing yet.
func finished(t *testing.T) *lease.Held {
	t.Helper()
	h := &lease.Held{Step: step.Step{Handler: &step.Handler{}}}
	if err := h.Enter(step.New(&step.Host{Steps: t.Context()}, &h.Step)); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRowsByTable(t *testing.T) {
	t.Parallel()
	tables := map[byte]*step.Table{'a': {Table: "a"}, 'b': {Table: "b"}, 'c': {Table: "c"}, 'k': {Table: "k", Business: true}, 'l': {Table: "l", Business: true}, '+': nil}
	for _, c := range []struct{ steps, want string }{
		{"", ""},
		{"a a a", "aaa"},
		{"abc abc", "aabbcc"},
		{"aba aba", "aaaabb"},
		{"ab+ ab+", "aabb++"},
		{"b ab", "abb"},
		{"c bc ab", "abbcc"},
		{"b c a", "bca"},
		{"ab ba", "none"},
		{"ab bc ca", "none"},
		{"k a", "ka"},
		{"ak bk", "abkk"},
		{"k ak", "akk"},
		{"k l kal", "kkall"},
		{"l kl", "none"},
	} {
		var group []*lease.Held
		for names := range strings.FieldsSeq(c.steps) {
			h := finished(t)
			for i := range len(names) {
				w := step.Write{Table: tables[names[i]], Key: strconv.Itoa(i)}
				keep := h.Execution().Record
				if w.Table == nil {
					keep = h.Execution().Follow
				}
				if err := keep(w); err != nil {
					t.Fatal(err)
				}
			}
			group = append(group, h)
		}
		got := "none"
		if ordered := rowsByTable(group); ordered != nil {
			got = ""
			for _, of := range ordered {
				for range of.rows {
					name := "+"
					if of.table != nil {
						name = of.table.Table
					}
					got += name
				}
			}
		}
		if got != c.want {
			t.Errorf("steps %q are written as %s, want %s", c.steps, got, c.want)
		}
	}
}
