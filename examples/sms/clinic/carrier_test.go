package clinic_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/idem-go/idem/examples/sms/carrier"
	"github.com/idem-go/idem/examples/sms/clinic"
)

func startCarrier(t *testing.T) (*carrier.Carrier, *clinic.Carrier) {
	t.Helper()
	c, err := carrier.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	client := &http.Client{}
	t.Cleanup(client.CloseIdleConnections)
	return c, &clinic.Carrier{URL: c.URL, Client: client}
}

// The provider's functions keep to what its directive says: a key has one effect, and the lookup tells the truth.
func TestSendSMS(t *testing.T) {
	t.Parallel()
	c, client := startCarrier(t)
	ctx := t.Context()
	if _, found, err := client.FindSMS(ctx, "k"); found || err != nil {
		t.Errorf("before it was sent: %t, %v", found, err)
	}
	c.LoseAnswer()
	if r, err := client.SendSMS(ctx, "k", clinic.SMS{}); err == nil {
		t.Errorf("a lost answer came: %v", r)
	}
	found, ok, err := client.FindSMS(ctx, "k")
	if !ok || err != nil || found.MessageID != "m-1" {
		t.Errorf("after it was sent: %v, %t, %v", found, ok, err)
	}
	if again, err := client.SendSMS(ctx, "k", clinic.SMS{}); again != found || err != nil {
		t.Errorf("again: %v, %v, want %v", again, err, found)
	}
	for range 2 {
		if err := client.RecallSMS(ctx, "undo", found); err != nil {
			t.Error(err)
		}
	}
	for key, want := range map[string]carrier.Seen{
		"k":    {Requests: 2, Lookups: 2, Effects: 1, MessageID: "m-1"},
		"undo": {Requests: 2, Effects: 1, MessageID: "m-1"},
	} {
		if got := c.Seen(key); got != want {
			t.Errorf("the carrier has seen %+v under %s, want %+v", got, key, want)
		}
	}
}

// A lookup that is answered with anything else has found out nothing.
func TestFindSMSFails(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNoContent, http.StatusForbidden, http.StatusInternalServerError} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(server.Close)
		client := &clinic.Carrier{URL: server.URL, Client: server.Client()}
		if _, found, err := client.FindSMS(t.Context(), "k"); found || err == nil {
			t.Errorf("%d: %t, %v", status, found, err)
		}
	}
}

// The carrier does not answer requests without a key.
func TestCarrierWantsAKey(t *testing.T) {
	t.Parallel()
	c, client := startCarrier(t)
	if _, err := client.SendCode(t.Context(), "", clinic.SMS{}); err == nil || c.Seen("").Requests != 0 {
		t.Errorf("no key: %v", err)
	}
}
