package effect_test

import (
	"slices"
	"testing"

	"github.com/idem-go/idem/gen/kind/effect"
)

func TestEffectNames(t *testing.T) {
	for _, c := range []struct{ typ, effect, record, insert string }{
		{"LedgerEntry", "ledgerEntryEffect", "RecordLedgerEntry", "InsertLedgerEntry"},
		{"entry", "entryEffect", "recordEntry", "insertEntry"},
		{"URLEntry", "urlEntryEffect", "RecordURLEntry", "InsertURLEntry"},
		{"ID", "idEffect", "RecordID", "InsertID"},
	} {
		e := effect.Effect{Type: c.typ}
		got := []string{e.EffectName(), e.RecordName(), e.InsertName()}
		if want := []string{c.effect, c.record, c.insert}; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", c.typ, got, want)
		}
	}
}
