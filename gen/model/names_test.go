package model_test

import (
	"slices"
	"testing"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// thing is a declaration of a kind of its own.
type thing string

func (d thing) At() diag.Position { return diag.Position{} }
func (d thing) Order() string     { return string(d) }
func (d thing) Selector() string  { return string(d) }
func (d thing) GeneratedNames() []string {
	return []string{"Register" + string(d), string(d) + "Action"}
}
func (d thing) Claims() []model.Claim { return nil }

func TestPackageGeneratedNames(t *testing.T) {
	p := &model.Package{Declarations: []model.Declaration{thing("Pay"), thing("Charge")}}
	want := []string{"ChargeAction", "PayAction", "RegisterCharge", "RegisterPay"}
	if got := p.GeneratedNames(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string][2]string{"URLEntry": {"URLEntry", "urlEntry"}, "ID": {"ID", "id"}, "pay": {"Pay", "pay"}, "été": {"Été", "été"}} {
		if got := [2]string{model.UpperFirst(name), model.LowerFirst(name)}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
