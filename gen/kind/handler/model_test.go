package handler_test

import (
	"slices"
	"testing"

	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/model"
)

func TestHandlerNames(t *testing.T) {
	billing := &model.Recv{Type: "Billing", Pointer: true}
	for _, c := range []struct {
		of                   handler.Handler
		selector, def, regis string
	}{
		{handler.Handler{Kind: handler.Action, Func: "Charge"}, "Charge", "ChargeAction", "RegisterCharge"},
		{handler.Handler{Kind: handler.Step, Func: "Charge"}, "Charge", "ChargeStep", "RegisterCharge"},
		{handler.Handler{Kind: handler.Action, Func: "charge"}, "charge", "chargeAction", "registerCharge"},
		{handler.Handler{Kind: handler.Step, Func: "Finalize", Recv: billing},
			"Billing.Finalize", "BillingFinalizeStep", "RegisterBillingFinalize"},
		{handler.Handler{Kind: handler.Step, Func: "finalize", Recv: billing},
			"Billing.finalize", "billingFinalizeStep", "registerBillingFinalize"},
		{handler.Handler{Kind: handler.Step, Func: "Run", Recv: &model.Recv{Type: "svc"}},
			"svc.Run", "svcRunStep", "registerSvcRun"},
		{handler.Handler{Kind: handler.Action, Func: "check", Recv: &model.Recv{Type: "URLSet"}},
			"URLSet.check", "urlSetCheckAction", "registerURLSetCheck"},
		{handler.Handler{Kind: handler.Action, Func: "été"}, "été", "étéAction", "registerÉté"},
	} {
		h := c.of
		got := []string{h.Selector(), h.DefinitionName(), h.RegisterName()}
		if want := []string{c.selector, c.def, c.regis}; !slices.Equal(got, want) {
			t.Errorf("%+v: got %v, want %v", h, got, want)
		}
	}
}

func TestNamesForTests(t *testing.T) {
	for _, c := range []struct {
		of            handler.Handler
		test, fixture string
	}{
		{handler.Handler{Func: "Charge"}, "TestCharge_Faults", "chargeFixture"},
		{handler.Handler{Func: "charge"}, "Test_charge_Faults", "chargeFixture"},
		{handler.Handler{Func: "Run", Recv: &model.Recv{Type: "URLSet"}}, "TestURLSetRun_Faults", "urlSetRunFixture"},
		{handler.Handler{Func: "Run", Recv: &model.Recv{Type: "svc"}}, "Test_svcRun_Faults", "svcRunFixture"},
		{handler.Handler{Func: "run", Recv: &model.Recv{Type: "Svc"}}, "Test_svcRun_Faults", "svcRunFixture"},
	} {
		if c.of.TestName() != c.test || c.of.FixtureName() != c.fixture {
			t.Errorf("%+v: got %s and %s", c.of, c.of.TestName(), c.of.FixtureName())
		}
	}
}
