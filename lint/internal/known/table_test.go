package known

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	table := Builtin()
	found := []struct {
		kind   Kind
		symbol string
	}{
		{Attempt, "github.com/riverqueue/river/rivertype.JobRow.Attempt"},
		{Execute, "github.com/idem-go/idem/runtime.Tx.Exec"},
		{Network, "github.com/stripe/stripe-go/charge.New"},
		{Limit, "github.com/stripe/stripe-go.Params"},
		{Fresh, "math/rand/v2.IntN"},
	}
	for _, tt := range found {
		if table.Find(tt.kind, tt.symbol) == nil {
			t.Errorf("%s is not known as %s", tt.symbol, tt.kind)
		}
	}
	missing := []struct {
		kind   Kind
		symbol string
	}{
		{Fresh, "math/rand.Rand.Intn"}, {Carry, "strings.Builder.Grow"}, {Network, "github.com/stripe/stripe-go.String"},
		{Attempt, "example.com/x.Job.Attempt"}, {Fresh, "github.com/google/uuid.NewSHA1"},
	}
	for _, tt := range missing {
		if table.Find(tt.kind, tt.symbol) != nil {
			t.Errorf("%s is known as %s", tt.symbol, tt.kind)
		}
	}
}

func TestPath(t *testing.T) {
	tests := map[string]string{
		"github.com/stripe/stripe-go/v82/charge": "github.com/stripe/stripe-go/charge",
		"github.com/google/uuid":                 "github.com/google/uuid",
		"math/rand/v2":                           "math/rand/v2",
		"example.com/vault/v":                    "example.com/vault/v",
	}
	for path, want := range tests {
		if got := Path(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestExtend(t *testing.T) {
	more, err := Builtin().Extend("own", "# ours\n\nattempt example.com/q.Job.Tries # behind\nkey example.com/b.Pay arg=1\n")
	if err != nil {
		t.Fatal(err)
	}
	if more.Find(Attempt, "example.com/q.Job.Tries") == nil || more.Find(Key, "example.com/b.Pay").Int("arg", 0) != 1 || !more.Opens("example.com/b") {
		t.Error("the lines are not there")
	}
	if Builtin().Find(Attempt, "example.com/q.Job.Tries") != nil {
		t.Error("the built-in table has changed")
	}
}

func TestRefused(t *testing.T) {
	tests := map[string]string{
		"x\natempt example.com/q.J":     "own:1: unknown kind",
		"\natempt example.com/q.J":      `own:2: unknown kind "atempt"; did you mean attempt?`,
		"key":                           "needs a symbol",
		"key example":                   "needs a symbol",
		"key example.com/b.Pay ag=1":    `unknown setting "ag"; did you mean arg?`,
		"key example.com/b.Pay arg=one": "arg=one is no number",
	}
	for text, want := range tests {
		_, err := Builtin().Extend("own", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
