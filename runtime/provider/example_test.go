package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

// What the author writes: the provider's functions, and a handler that calls it.

type SMS struct{ To, Text string }

type Receipt struct{ ID string }

const smsAPI = "https://sms.example.com/v1/messages"

// SendSMS hands a message to the carrier, which honours a key for a day. In its package it bears
//
//	//idem:provider send_sms window=24h lookup=FindSMS undo=RecallSMS
func SendSMS(ctx context.Context, key string, sms SMS) (Receipt, error) {
	body, err := json.Marshal(sms)
	if err != nil {
		return Receipt{}, provider.NotSent(err)
	}
	return request(ctx, http.MethodPost, smsAPI, key, body)
}

// FindSMS looks a message up by the key that it was sent with.
func FindSMS(ctx context.Context, key string) (Receipt, bool, error) {
	receipt, err := request(ctx, http.MethodGet, smsAPI+"?key="+url.QueryEscape(key), "", nil)
	return receipt, receipt.ID != "", err
}

// RecallSMS takes a message back.
func RecallSMS(ctx context.Context, key string, receipt Receipt) error {
	_, err := request(ctx, http.MethodDelete, smsAPI+"/"+url.PathEscape(receipt.ID), key, nil)
	return err
}

func request(ctx context.Context, method, to, key string, body []byte) (receipt Receipt, err error) {
	req, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return receipt, provider.NotSent(err)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := provider.Do(http.DefaultClient, req)
	if err != nil {
		return receipt, err
	}
	defer func() { _ = resp.Body.Close() }()
	err = json.NewDecoder(resp.Body).Decode(&receipt)
	return receipt, err
}

// What idem generate writes beside it.

// sendSMSProvider is the provider "send_sms": [SendSMS], which honours a key for 24h, with the lookup [FindSMS] and the
// undo [RecallSMS].
var sendSMSProvider = provider.Define("send_sms", SendSMS,
	provider.WithWindow(24*time.Hour),
	provider.WithLookup(FindSMS),
	provider.WithUndo(RecallSMS),
)

// CallSendSMS calls [SendSMS] once per run and node, and gives the receipt that is stored for it.
func CallSendSMS(ctx runtime.Context, req SMS, opts ...provider.CallOption) (Receipt, error) {
	return sendSMSProvider.Call(ctx, req, opts...)
}

// UndoSendSMS takes a call of [CallSendSMS] back with [RecallSMS], once.
func UndoSendSMS(ctx runtime.Context, opts ...provider.CallOption) error {
	return sendSMSProvider.Undo(ctx, opts...)
}

// RegisterSendSMSUndo lets the workers of r take calls of [CallSendSMS] back when an operator asks for it.
func RegisterSendSMSUndo(r *runtime.Registry) {
	provider.RegisterUndo(r, sendSMSProvider)
}

// A handler sends a message once, however often it runs.
func Example() {
	welcome := func(ctx runtime.Context, to string) error {
		_, err := CallSendSMS(ctx, SMS{To: to, Text: "welcome"})
		return err // as it is: it tells the runtime to wait, to give up, or to try again
	}
	reg := runtime.NewRegistry()
	runtime.RegisterAction(reg, runtime.NewAction[string]("welcome"), welcome)
	RegisterSendSMSUndo(reg)
	_ = UndoSendSMS // in a handler that takes the message back
	// Output:
}
