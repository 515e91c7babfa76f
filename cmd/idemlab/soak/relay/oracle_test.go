package relay

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
)

// well returns facts in which everything holds: one completed step, of which everything is delivered.
func well() *facts {
	f := &facts{completed: map[int64]bool{0: true}, acknowledged: 1, atEnd: true}
	f.before = known{commands: map[string]seen{}, effects: map[string]int{}}
	for item := range commands.PerStep {
		id, of, receipt := fmt.Sprintf("cmd_%d", item), commands.Who(0, item), fmt.Sprintf("receipt %d", item)
		f.rows = append(f.rows, row{
			ID: id, Node: "tell", Who: of, State: "delivered", Attempts: 3, Claims: 4, Released: 1, Answered: 1, Failed: 1,
			Receipt: fmt.Appendf(nil, `{"status":200,"body":%q}`, receipt),
		})
		f.before.commands[id] = seen{body: "{}", requests: 3, answered: 2, receipt: receipt}
		f.before.effects[of] = 1
	}
	f.after = known{commands: maps.Clone(f.before.commands), effects: maps.Clone(f.before.effects)}
	return f
}

func TestOraclesFindWhatIsWrong(t *testing.T) {
	t.Parallel()
	if v := well().judge(); len(countViolations(v)) != 0 {
		t.Fatalf("though all is well: %+v", v)
	}
	change := func(f *facts, id string, by func(*seen)) {
		for _, k := range []known{f.before, f.after} {
			c := k.commands[id]
			by(&c)
			k.commands[id] = c
		}
	}
	for name, tt := range map[string]struct {
		spoil func(*facts)
		want  []string
	}{
		"a command is missing":              {func(f *facts) { f.rows = f.rows[1:] }, []string{"O1", "O3"}},
		"a command is there twice":          {func(f *facts) { f.rows[1].Who = f.rows[0].Who }, []string{"O1"}},
		"a step was forgotten":              {func(f *facts) { f.acknowledged = 2 }, []string{"O1"}},
		"its step is not completed":         {func(f *facts) { f.completed = map[int64]bool{}; f.acknowledged = 0 }, []string{"O2"}},
		"nobody queued it":                  {func(f *facts) { f.before.commands["cmd_x"] = seen{requests: 1} }, []string{"O3"}},
		"its effect happened twice":         {func(f *facts) { f.after.effects[commands.Who(0, 1)] = 2 }, []string{"O4"}},
		"its effect is lost":                {func(f *facts) { delete(f.after.effects, commands.Who(0, 1)) }, []string{"O4"}},
		"it has another's receipt":          {func(f *facts) { f.rows[0].Receipt = f.rows[1].Receipt }, []string{"O5"}},
		"its receipt is lost":               {func(f *facts) { f.rows[0].Receipt = nil }, []string{"O5"}},
		"a request nobody counted":          {func(f *facts) { change(f, "cmd_0", func(c *seen) { c.requests = 4 }) }, []string{"O8"}},
		"an answer nobody gave":             {func(f *facts) { change(f, "cmd_0", func(c *seen) { c.answered = 0 }) }, []string{"O8"}},
		"an attempt without a claim":        {func(f *facts) { f.rows[0].Attempts++ }, []string{"O8"}},
		"more was recorded than claimed":    {func(f *facts) { f.rows[0].Failed = 3 }, []string{"O8"}},
		"it is dead":                        {func(f *facts) { f.rows[0].State = "dead" }, []string{"O9"}},
		"it is pending at the end":          {func(f *facts) { f.rows[0].State = "pending" }, []string{"O9"}},
		"it may be pending before":          {func(f *facts) { f.rows[0].State, f.atEnd = "pending", false }, nil},
		"the receiver may hear of it later": {func(f *facts) { delete(f.before.commands, "cmd_0") }, nil},
	} {
		f := well()
		tt.spoil(f)
		v := f.judge()
		if got := slices.Sorted(maps.Keys(countViolations(v))); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v: %+v", name, got, tt.want, v)
		}
	}
	missed := notLanded([]fault.Fault{{Kind: FaultKill}, {Kind: FaultStop}}, map[fault.Kind]int{FaultKill: 1})
	if missed.Count != 1 || oracles[missed.Oracle] == "" {
		t.Errorf("%+v", missed)
	}
}

// TestOraclesSayTheSameEachTime: which cases are told, and in which order, does not hang on the order of a map.
func TestOraclesSayTheSameEachTime(t *testing.T) {
	t.Parallel()
	spoilt := func() *facts {
		f := well()
		for n := range int64(20) {
			f.completed[n+1] = true
			f.before.commands[fmt.Sprintf("cmd_x%02d", n)] = seen{requests: 1}
			f.after.effects[fmt.Sprintf("x%02d", n)] = 2
		}
		f.rows[0].State = "dead"
		return f
	}
	first := fmt.Sprint(spoilt().judge())
	for range 30 {
		if again := fmt.Sprint(spoilt().judge()); again != first {
			t.Fatalf("once\n%s\nthen\n%s", first, again)
		}
	}
}
