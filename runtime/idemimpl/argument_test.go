package idemimpl

import (
	"math"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/value"
)

type (
	tag      string
	tags     []tag
	token    [16]byte
	checksum []byte
)

func TestArrayText(t *testing.T) {
	t.Parallel()
	one := tag("one")
	for want, v := range map[string]any{
		`{}`:                                     Array(tags{}),
		`{"a","","NULL"}`:                        Array(tags{"a", "", "NULL"}),
		`{"a,b","{c}","\"d\\","é` + "\n" + `"}`:  Array(tags{"a,b", "{c}", `"d\`, "é\n"}),
		`{"one",NULL}`:                           Array([]*tag{&one, nil}),
		`{1,-2}`:                                 Array([]time.Duration{1, -2}),
		`{0.1,NaN,+Inf}`:                         Array([]float64{0.1, math.NaN(), math.Inf(1)}),
		`{0.2}`:                                  Array([]float32{0.2}),
		`{true,false}`:                           Array([]bool{true, false}),
		`{18446744073709551615}`:                 Array([]uint64{math.MaxUint64}),
		`{"\\x00ff",NULL,"\\x"}`:                 Array([]checksum{{0, 255}, nil, {}}),
		`{01020000-0000-0000-0000-0000000000ff}`: Array([]token{{1, 2, 15: 255}}),
	} {
		if got := v.(argument).value; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestArrayOfKnownElements: pgx knows these by the type of their elements, and not by a name of the slice's own.
func TestArrayOfKnownElements(t *testing.T) {
	t.Parallel()
	type days []time.Time
	type hosts []net.IP
	for _, c := range []struct{ got, want any }{
		{Array(days{time.Unix(0, 0)}), []time.Time{time.Unix(0, 0)}},
		{Array(hosts{net.IPv4zero}), []net.IP{net.IPv4zero}},
	} {
		if got := c.got.(argument).value; !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %#v, want %#v", got, c.want)
		}
	}
}

func TestArrayNull(t *testing.T) {
	t.Parallel()
	var none *tags
	for _, v := range []any{Array(tags(nil)), Array(none), Array(new(tags))} {
		if v != nil {
			t.Errorf("got %#v, want NULL", v)
		}
	}
}

// TestConvertedArgumentsKeepTheirDigest: rows that were written before an argument was sent in another form are met
// again after it.
func TestConvertedArgumentsKeepTheirDigest(t *testing.T) {
	t.Parallel()
	at := []time.Time{time.Unix(1, 0).UTC()}
	for name, c := range map[string]struct{ before, now any }{
		"named elements": {tags{"a", "b"}, Array(tags{"a", "b"})},
		"uuids":          {[]token{{1}, {2}}, Array([]token{{1}, {2}})},
		"bytes":          {[]checksum{{1}}, Array([]checksum{{1}})},
		"known elements": {at, Array(at)},
		"a pointer":      {&tags{"a"}, Array(&tags{"a"})},
		"NULL":           {tags(nil), Array(tags(nil))},
	} {
		effect := &Effect{Table: `"t"`, Columns: []string{"c"}}
		digest := func(arg any) string {
			return must[step.Write](t)(effect.row("run", "node", []any{arg})).Digest
		}
		want := must[[]byte](t)(value.Digest([]string{"c"}, []any{c.before}))
		if got := digest(c.now); got != string(want) || got != digest(c.before) {
			t.Errorf("%s: the digest is another one", name)
		}
	}
}

func TestNonZero(t *testing.T) {
	t.Parallel()
	if p := NonZero(0); p != nil {
		t.Errorf("zero gives %v", *p)
	}
	if p := NonZero(token{1}); p == nil || *p != (token{1}) {
		t.Errorf("a token gives %v", p)
	}
	if v := OptUUID(NonZero(token{})); v != nil {
		t.Errorf("a zero uuid gives %v, want NULL", v)
	}
	if got, want := OptUUID(NonZero(token{1})), UUID(token{1}); got != want {
		t.Errorf("a uuid gives %v, want %v", got, want)
	}
}
