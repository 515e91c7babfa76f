package model_test

import (
	"slices"
	"testing"

	"github.com/idem-go/idem/gen/model"
)

func TestProviderNames(t *testing.T) {
	carrier, mailer := &model.Recv{Type: "Carrier", Pointer: true}, &model.Recv{Type: "mailer"}
	undo := &model.ProviderFunc{Func: "Recall", Method: true}
	for _, c := range []struct {
		provider       model.Provider
		names, methods []string
	}{
		{model.Provider{Func: "SendSMS"}, []string{"sendSMSProvider", "CallSendSMS"}, nil},
		{model.Provider{Func: "SMSSend", Undo: undo},
			[]string{"smsSendProvider", "CallSMSSend", "UndoSMSSend", "RegisterSMSSendUndo"}, nil},
		{model.Provider{Func: "send", Undo: undo}, []string{"sendProvider", "callSend", "undoSend", "registerSendUndo"}, nil},
		{model.Provider{Func: "SendSMS", Recv: carrier}, nil, []string{"sendSMSProvider", "CallSendSMS"}},
		{model.Provider{Func: "SendSMS", Recv: carrier, Undo: undo},
			[]string{"RegisterCarrierSendSMSUndo"}, []string{"sendSMSProvider", "CallSendSMS", "UndoSendSMS"}},
		{model.Provider{Func: "send", Recv: carrier, Undo: undo},
			[]string{"registerCarrierSendUndo"}, []string{"sendProvider", "callSend", "undoSend"}},
		{model.Provider{Func: "Send", Recv: mailer, Undo: undo},
			[]string{"registerMailerSendUndo"}, []string{"sendProvider", "CallSend", "UndoSend"}},
	} {
		if got := c.provider.GeneratedNames(); !slices.Equal(got, c.names) {
			t.Errorf("%s: got names %v, want %v", c.provider.Selector(), got, c.names)
		}
		if got := c.provider.GeneratedMethods(); !slices.Equal(got, c.methods) {
			t.Errorf("%s: got methods %v, want %v", c.provider.Selector(), got, c.methods)
		}
	}
}

func TestProviderSelectors(t *testing.T) {
	v := model.Provider{Func: "Send", Recv: &model.Recv{Type: "Carrier"}}
	got := []string{
		v.Selector(), v.CallSelector(), v.SelectorOf(model.ProviderFunc{Func: "Find"}), v.SelectorOf(model.ProviderFunc{Func: "Recall", Method: true}),
	}
	if want := []string{"Carrier.Send", "Carrier.CallSend", "Find", "Carrier.Recall"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
