package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		24 * time.Hour: "24h", 90 * time.Minute: "1h30m", time.Minute: "1m", 10 * time.Second: "10s",
		time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

// TestProviderRefusesBadTypes gives types that are not in the model's form.
func TestProviderRefusesBadTypes(t *testing.T) {
	good, bad := model.Type{Expr: "string"}, model.Type{Expr: "${sms.Message"}
	for _, v := range []Provider{{Func: "Send", Req: bad, Receipt: good}, {Func: "Send", Req: good, Receipt: bad}} {
		code, err := emit.Go(&model.Package{Path: "p", Name: "p", Declarations: []model.Declaration{v}})
		if err == nil || !strings.Contains(err.Error(), "package p: Send: ") {
			t.Errorf("%v, %s", err, code)
		}
	}
}
