package faulttest

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// everything is a receipt with a field of each kind.
type everything struct {
	ID      string
	Small   int8
	Byte    uint8
	Wide    uint64
	Ratio   float32
	Done    bool
	At      time.Time
	Until   *time.Time
	Lines   []struct{ SKU string }
	Tags    map[string]int
	Any     any
	Raw     json.RawMessage
	Bytes   []byte
	UUID    [16]byte
	Address netip.Addr
	Total   *big.Int
	Again   *everything
	hidden  string
}

// TestReceiptsAreMadeUp: what JSON brings back is filled, always the same for one effect, and another one for another.
func TestReceiptsAreMadeUp(t *testing.T) {
	booked := ledger.Receipt{ID: "effect-1", Key: "call_abcdefghijkl"}
	make := func(b ledger.Receipt) (e everything) {
		data, err := json.Marshal(madeUp(reflect.TypeFor[everything](), b))
		if err == nil {
			err = json.Unmarshal(data, &e)
		}
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := make(booked)
	again := make(ledger.Receipt{ID: "effect-9", Key: booked.Key})
	all := cmp.Options{cmp.AllowUnexported(everything{}, big.Int{}), cmp.Comparer(func(a, b netip.Addr) bool { return a == b })}
	if d := cmp.Diff(first, again, all); d != "" {
		t.Errorf("the same effect gives another receipt:\n%s", d)
	}
	if first.ID != "ID-ghijkl" || first.Again == nil || first.Again.ID != first.ID {
		t.Errorf("the texts are %q and %+v", first.ID, first.Again)
	}
	v := reflect.ValueOf(first)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && v.Field(i).IsZero() {
			t.Errorf("%s is not filled", f.Name)
		}
	}
	for _, other := range []everything{make(ledger.Receipt{Key: booked.Key, Before: 1}), make(ledger.Receipt{Key: "call_mnopqrstuvwx"})} {
		if other.ID == first.ID || other.Wide == first.Wide || other.At.Equal(first.At) || other.UUID == first.UUID {
			t.Errorf("another effect gives %+v, the first one %+v", other, first)
		}
	}
	if direct := madeUp(reflect.TypeFor[everything](), booked).(everything); direct.hidden != "" {
		t.Error("a field is filled that JSON does not bring back")
	}
	if text := madeUp(reflect.TypeFor[string](), booked); text != "receipt-ghijkl" {
		t.Errorf("a text is %v", text)
	}
}

// TestReceiptsOfTheAuthor: a handler that looks at its receipt gets the one that the test or the fixture gives.
func TestReceiptsOfTheAuthor(t *testing.T) {
	status := "accepted"
	run := func(ctx runtime.Context, in order) error {
		r, err := ways["both"].Call(ctx, in)
		if err != nil {
			return err
		}
		if *r.Status != status {
			return runtime.Permanent(errors.New("not accepted: " + *r.Status))
		}
		return payments.Record(ctx, in.OrderID, in.Cents)
	}
	given := paid{ID: "p-1", Status: &status}
	for name, h := range map[string]Handler[order]{
		"by the test": {Migrations: folder, Run: run, Input: sample, Receipts: map[string]any{"pay": given}},
		"by the fixture": {Migrations: folder, Fixture: func(f *F) (func(runtime.Context, order) error, order) {
			f.Receipt("pay", given)
			return run, sample
		}},
	} {
		t.Run(name, func(t *testing.T) {
			examine(t, actionSubject(t, runtime.NewAction[order]("look"), h), "killed when pay", "pay is done", "an error after").passes()
		})
	}
	e := examine(t, actionSubject(t, runtime.NewAction[order]("look"), Handler[order]{
		Migrations: folder, Run: run, Input: sample, Receipts: map[string]any{"pay": "p-1"},
	}), "no fault")
	if want := "the receipt that the test gives for pay is a string, and must be a faulttest.paid"; len(e.free) != 1 || !strings.Contains(e.free[0], want) {
		t.Errorf("found %q, want %q", e.free, want)
	}
}
