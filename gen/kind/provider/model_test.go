package provider_test

import (
	"slices"
	"testing"

	"github.com/idem-go/idem/gen/kind/provider"
	"github.com/idem-go/idem/gen/model"
)

func TestProviderNames(t *testing.T) {
	carrier, mailer := &model.Recv{Type: "Carrier", Pointer: true}, &model.Recv{Type: "mailer"}
	undo := &provider.Companion{Func: "Recall", Method: true}
	for _, c := range []struct {
		of             provider.Provider
		names, methods []string
	}{
		{provider.Provider{Func: "SendSMS"}, []string{"sendSMSProvider", "CallSendSMS"}, nil},
		{provider.Provider{Func: "SMSSend", Undo: undo},
			[]string{"smsSendProvider", "CallSMSSend", "UndoSMSSend", "RegisterSMSSendUndo"}, nil},
		{provider.Provider{Func: "send", Undo: undo}, []string{"sendProvider", "callSend", "undoSend", "registerSendUndo"}, nil},
		{provider.Provider{Func: "SendSMS", Recv: carrier}, nil, []string{"sendSMSProvider", "CallSendSMS"}},
		{provider.Provider{Func: "SendSMS", Recv: carrier, Undo: undo},
			[]string{"RegisterCarrierSendSMSUndo"}, []string{"sendSMSProvider", "CallSendSMS", "UndoSendSMS"}},
		{provider.Provider{Func: "send", Recv: carrier, Undo: undo},
			[]string{"registerCarrierSendUndo"}, []string{"sendProvider", "callSend", "undoSend"}},
		{provider.Provider{Func: "Send", Recv: mailer, Undo: undo},
			[]string{"registerMailerSendUndo"}, []string{"sendProvider", "CallSend", "UndoSend"}},
	} {
		if got := c.of.GeneratedNames(); !slices.Equal(got, c.names) {
			t.Errorf("%s: got names %v, want %v", c.of.Selector(), got, c.names)
		}
		if got := c.of.GeneratedMethods(); !slices.Equal(got, c.methods) {
			t.Errorf("%s: got methods %v, want %v", c.of.Selector(), got, c.methods)
		}
	}
}

func TestProviderSelectors(t *testing.T) {
	v := provider.Provider{Func: "Send", Recv: &model.Recv{Type: "Carrier"}}
	got := []string{
		v.Selector(), v.CallSelector(), v.SelectorOf(provider.Companion{Func: "Find"}), v.SelectorOf(provider.Companion{Func: "Recall", Method: true}),
	}
	if want := []string{"Carrier.Send", "Carrier.CallSend", "Find", "Carrier.Recall"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
