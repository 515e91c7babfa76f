package lock_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/kind/provider"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/registry"
)

func newProvider(fn, name string) provider.Provider {
	return provider.Provider{
		Func: fn, Name: name, Req: model.Type{Expr: "${shop.test/sms}.Message"}, Receipt: model.Type{Expr: "Receipt"},
		Pos: diag.Position{File: "a.go", Line: 5, Column: 1},
	}
}

func undone(v provider.Provider) provider.Provider {
	v.Undo = &provider.Companion{Func: "Recall"}
	return v
}

func TestProvidersAreListed(t *testing.T) {
	p := newProject(t)
	v := undone(newProvider("SendSMS", "send_sms"))
	v.Recv = &model.Recv{Type: "Carrier", Pointer: true}
	next := p.must(nil, pkg("a", v))
	want := map[string]lock.Entry{"send_sms": provider.Stored{
		Package: "shop.test/a", Func: "Carrier.SendSMS", Key: []string{"run_id", "node", "provider", "item"},
		Request: "shop.test/sms.Message", Receipt: "Receipt", Undo: true,
	}}
	if diff := cmp.Diff(want, next.Lock.Names["providers"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text, err := next.Lock.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := lock.Decode("idem.lock", text, registry.Kinds.Lock())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(next.Lock, read); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
}

func TestLocksWithoutProvidersDoNotSpeakOfThem(t *testing.T) {
	text, err := newProject(t).must(nil, pkg("a", newHandler("Charge", "charge"))).Lock.Encode()
	if err != nil || strings.Contains(string(text), "providers") {
		t.Errorf("%v:\n%s", err, text)
	}
}

func TestProviderRenames(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newProvider("SendSMS", "send_sms"), newProvider("Fax", "fax")))
	renamed := pkg("a", newProvider("SendSMS", "text"), newProvider("Fax", "fax"))
	d := p.refused(nil, "renamed-provider", []*model.Package{renamed}, `"send_sms"`, `"text"`, "--rename send_sms=text")
	if d.Pos.Line != 5 {
		t.Errorf("it stands at %v", d.Pos)
	}
	p.refused(rename("send_sms", "other"), "renamed-provider", []*model.Package{renamed})
	next := p.must(rename("send_sms", "text"), renamed)
	if _, old := next.Lock.Names["providers"]["send_sms"]; old || !slices.Equal(next.Renamed, []string{"send_sms"}) || next.Lock.Names["providers"]["text"].(provider.Stored).Func != "SendSMS" {
		t.Errorf("renamed %v, providers %v", next.Renamed, next.Lock.Names["providers"])
	}
}

func TestProvidersThatSwapTheirNames(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newProvider("SendSMS", "send_sms"), newProvider("Fax", "fax")))
	_, err := p.next(nil, pkg("a", newProvider("SendSMS", "fax"), newProvider("Fax", "send_sms")))
	if list, _ := errors.AsType[diag.List](err); len(list) != 2 {
		t.Errorf("want two diagnostics, got %v", err)
	}
}

func TestProviderFunctionsMayBeRenamedMovedAndRemoved(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newProvider("SendSMS", "send_sms")), pkg("b"))
	p.must(nil, pkg("a", newProvider("Text", "send_sms")), pkg("b"))
	next := p.must(nil, pkg("b", newProvider("Text", "send_sms")))
	if next.Lock.Names["providers"]["send_sms"].(provider.Stored).Package != "shop.test/b" {
		t.Errorf("providers %v", next.Lock.Names["providers"])
	}
	if next := p.must(nil, pkg("b")); len(next.Lock.Names["providers"]) > 0 {
		t.Errorf("providers %v", next.Lock.Names["providers"])
	}
}

// TestNodeAndProviderOfOneName: a handler and a provider may be called alike, and change their names apart.
func TestNodeAndProviderOfOneName(t *testing.T) {
	p := newProject(t)
	p.must(nil, pkg("a", newHandler("Send", "send"), newProvider("SendSMS", "send")))
	next := p.must(rename("send", "text"), pkg("a", newHandler("Send", "send"), newProvider("SendSMS", "text")))
	if _, kept := next.Lock.Names["nodes"]["send"]; !kept || next.Lock.Names["providers"]["text"].(provider.Stored).Func != "SendSMS" {
		t.Errorf("nodes %v, providers %v", next.Lock.Names["nodes"], next.Lock.Names["providers"])
	}
}

func TestPartialRunLeavesOtherProvidersAlone(t *testing.T) {
	p := newProject(t)
	a := pkg("a", newProvider("A", "a"))
	b := pkg("b", undone(newProvider("B", "b")), newHandler("Recall", "a.undo"))
	whole := p.must(nil, a, b)
	partial := p.must(only("a"), a)
	if diff := cmp.Diff(whole.Lock, partial.Lock); diff != "" {
		t.Errorf("-whole +partial:\n%s", diff)
	}
	p.refused(only("a"), "duplicate-provider", []*model.Package{pkg("a", newProvider("A", "a"), newProvider("Z", "b"))}, "shop.test/b.B")
	p.refused(only("a"), "duplicate-node", []*model.Package{pkg("a", undone(newProvider("A", "a")))}, "a.undo", "shop.test/b.Recall")
	p.refused(only("a"), "duplicate-node", []*model.Package{pkg("a", newProvider("A", "a"), newHandler("Undo", "b.undo"))}, "b.undo", "shop.test/b.B")
}
