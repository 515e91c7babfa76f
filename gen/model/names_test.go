package model_test

import (
	"slices"
	"testing"

	"github.com/idem-go/idem/gen/model"
)

func TestHandlerNames(t *testing.T) {
	billing := &model.Recv{Type: "Billing", Pointer: true}
	for _, c := range []struct {
		handler              model.Handler
		selector, def, regis string
	}{
		{model.Handler{Kind: model.Action, Func: "Charge"}, "Charge", "ChargeAction", "RegisterCharge"},
		{model.Handler{Kind: model.Step, Func: "Charge"}, "Charge", "ChargeStep", "RegisterCharge"},
		{model.Handler{Kind: model.Action, Func: "charge"}, "charge", "chargeAction", "registerCharge"},
		{model.Handler{Kind: model.Step, Func: "Finalize", Recv: billing},
			"Billing.Finalize", "BillingFinalizeStep", "RegisterBillingFinalize"},
		{model.Handler{Kind: model.Step, Func: "finalize", Recv: billing},
			"Billing.finalize", "billingFinalizeStep", "registerBillingFinalize"},
		{model.Handler{Kind: model.Step, Func: "Run", Recv: &model.Recv{Type: "svc"}},
			"svc.Run", "svcRunStep", "registerSvcRun"},
		{model.Handler{Kind: model.Action, Func: "check", Recv: &model.Recv{Type: "URLSet"}},
			"URLSet.check", "urlSetCheckAction", "registerURLSetCheck"},
		{model.Handler{Kind: model.Action, Func: "été"}, "été", "étéAction", "registerÉté"},
	} {
		h := c.handler
		got := []string{h.Selector(), h.DefinitionName(), h.RegisterName()}
		if want := []string{c.selector, c.def, c.regis}; !slices.Equal(got, want) {
			t.Errorf("%+v: got %v, want %v", h, got, want)
		}
	}
}

func TestNamesForTests(t *testing.T) {
	for _, c := range []struct {
		handler       model.Handler
		test, fixture string
	}{
		{model.Handler{Func: "Charge"}, "TestCharge_Faults", "chargeFixture"},
		{model.Handler{Func: "charge"}, "Test_charge_Faults", "chargeFixture"},
		{model.Handler{Func: "Run", Recv: &model.Recv{Type: "URLSet"}}, "TestURLSetRun_Faults", "urlSetRunFixture"},
		{model.Handler{Func: "Run", Recv: &model.Recv{Type: "svc"}}, "Test_svcRun_Faults", "svcRunFixture"},
		{model.Handler{Func: "run", Recv: &model.Recv{Type: "Svc"}}, "Test_svcRun_Faults", "svcRunFixture"},
	} {
		if c.handler.TestName() != c.test || c.handler.FixtureName() != c.fixture {
			t.Errorf("%+v: got %s and %s", c.handler, c.handler.TestName(), c.handler.FixtureName())
		}
	}
}

func TestEffectNames(t *testing.T) {
	for _, c := range []struct{ typ, effect, record, insert string }{
		{"LedgerEntry", "ledgerEntryEffect", "RecordLedgerEntry", "InsertLedgerEntry"},
		{"entry", "entryEffect", "recordEntry", "insertEntry"},
		{"URLEntry", "urlEntryEffect", "RecordURLEntry", "InsertURLEntry"},
		{"ID", "idEffect", "RecordID", "InsertID"},
	} {
		e := model.Effect{Type: c.typ}
		got := []string{e.EffectName(), e.RecordName(), e.InsertName()}
		if want := []string{c.effect, c.record, c.insert}; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", c.typ, got, want)
		}
	}
}

func TestPackageGeneratedNames(t *testing.T) {
	p := &model.Package{
		Handlers: []model.Handler{{Kind: model.Action, Func: "Charge"}},
		Effects:  []model.Effect{{Type: "Row"}},
	}
	want := []string{"ChargeAction", "InsertRow", "RecordRow", "RegisterCharge", "rowEffect"}
	if got := p.GeneratedNames(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
