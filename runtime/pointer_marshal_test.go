package runtime

import (
	"math/big"
	"testing"
)

// TestPayloadsWithPointerMarshalers: encoding/json calls a marshaller on a pointer receiver only where it can take
// the address; without that such a field is stored as an empty object, and its value is lost without an error.
func TestPayloadsWithPointerMarshalers(t *testing.T) {
	t.Parallel()
	type amount struct{ Units big.Int }
	b := newBench(t)
	step := NewStep[amount, amount]("double")
	RegisterStep(b.reg, step, func(_ Context, in amount) (out amount, err error) {
		out.Units.Add(&in.Units, &in.Units)
		return out, nil
	})
	b.work(slow())
	var in amount
	in.Units.SetString("1000000000000000000000000000000", 10)
	run := must[Run](t)(step.Enqueue(t.Context(), b.client, in))
	out := must[amount](t)(step.Output(t.Context(), b.client, run))
	if got, want := out.Units.String(), "2000000000000000000000000000000"; got != want {
		t.Errorf("the output is %s, want %s", got, want)
	}
	for what, enqueue := range map[string]func() (Run, error){
		"tx": func() (Run, error) { return step.EnqueueTx(t.Context(), b.client, b.pool, in) },
		"many": func() (Run, error) {
			runs, err := step.EnqueueMany(t.Context(), b.client, []amount{in}, nil)
			return runs[0], err
		},
	} {
		run := must[Run](t)(enqueue())
		if n := b.count(`SELECT count(*) FROM idem.steps WHERE run_id = $1 AND input::text LIKE '%1000000000000000000000000000000%'`, run.ID); n != 1 {
			t.Errorf("%s: the input was not stored", what)
		}
	}
}
