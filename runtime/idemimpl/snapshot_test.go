package idemimpl

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/value"
)

// money is a valuer that keeps what it is in a slice of its own, and gives that away.
type money struct{ digits []byte }

func (m *money) Value() (driver.Value, error) { return m.digits, nil }

type point struct {
	X, Y   int
	Labels []string
}

// What was recorded is what it was at that moment, whatever the handler does with its values afterwards; and the digest is of
// the same.
func TestRecordedIsASnapshot(t *testing.T) {
	t.Parallel()
	type row struct {
		arg    any
		change func()
	}
	for name, make := range map[string]func() row{
		"bytes": func() row { b := []byte("ann's"); return row{b, func() { copy(b, "bob's") }} },
		"named bytes": func() row {
			b := checksum("ann's")
			return row{b, func() { copy(b, "bob's") }}
		},
		"raw json": func() row {
			b := json.RawMessage(`{"of":"ann"}`)
			return row{b, func() { copy(b, `{"of":"bob"}`) }}
		},
		"pointer to a number": func() row { n := int64(5); return row{&n, func() { n = 6 }} },
		"pointer to a text":   func() row { s := "ann"; return row{&s, func() { s = "bob" }} },
		"pointer to a time":   func() row { at := time.UnixMicro(1).UTC(); return row{&at, func() { at = time.UnixMicro(2).UTC() }} },
		"pointer to bytes":    func() row { b := []byte("ann's"); return row{&b, func() { copy(b, "bob's") }} },
		"pointer to a pointer": func() row {
			n := 5
			p := &n
			return row{&p, func() { n = 6 }}
		},
		"texts":            func() row { s := []string{"a", "b"}; return row{s, func() { s[1] = "c" }} },
		"bytes in a slice": func() row { s := [][]byte{[]byte("a")}; return row{s, func() { s[0][0] = 'b' }} },
		"named texts":      func() row { s := tags{"a", "b"}; return row{s, func() { s[1] = "c" }} },
		"pointers":         func() row { n := 1; s := []*int{&n, nil}; return row{s, func() { n = 2 }} },
		"known elements": func() row {
			s := []time.Time{time.UnixMicro(1).UTC()}
			return row{Array(s), func() { s[0] = time.UnixMicro(2).UTC() }}
		},
		"an address": func() row { ip := net.IPv4(10, 0, 0, 1).To4(); return row{ip, func() { ip[3] = 2 }} },
		"a network": func() row {
			n := net.IPNet{IP: net.IPv4(10, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)}
			return row{n, func() { n.IP[0] = 11 }}
		},
		"a map":         func() row { m := map[string][]int{"a": {1}}; return row{m, func() { m["a"][0] = 2 }} },
		"a struct":      func() row { p := point{1, 2, []string{"a"}}; return row{p, func() { p.Labels[0] = "b" }} },
		"pointer to it": func() row { p := &point{1, 2, []string{"a"}}; return row{p, func() { p.X = 9 }} },
		"an array":      func() row { a := [1][]int{{1}}; return row{a, func() { a[0][0] = 2 }} },
		"any":           func() row { s := []any{[]int{1}}; return row{s, func() { s[0].([]int)[0] = 2 }} },
		"a valuer":      func() row { m := &money{[]byte("12")}; return row{m, func() { m.digits[0] = '9' }} },
		"a number of pgx": func() row {
			n := pgtype.Numeric{Int: big.NewInt(12), Valid: true}
			return row{n, func() { n.Int.SetInt64(13) }}
		},
		"digits":            func() row { n := big.NewInt(1 << 40); return row{n, func() { n.Add(n, n) }} },
		"an array of pgx":   func() row { a := pgtype.FlatArray[[]byte]{[]byte("a")}; return row{a, func() { a[0][0] = 'b' }} },
		"a type with bytes": func() row { s := []checksum{checksum("ann")}; return row{s, func() { copy(s[0], "bob") }} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			effect := &Effect{Table: `"t"`, Columns: []string{"c"}}
			r := make()
			was := must[step.Write](t)(effect.row("run", "node", []any{make().arg}))
			got := must[step.Write](t)(effect.row("run", "node", []any{r.arg}))
			if got.Digest != was.Digest {
				t.Fatal("two equal values have two digests")
			}
			r.change()
			if !reflect.DeepEqual(got.Args[3], was.Args[3]) {
				t.Errorf("recorded as %v, and to be written as %v", show(was.Args[3]), show(got.Args[3]))
			}
			if again := must[[]byte](t)(value.Digest(effect.Columns, got.Args[3:])); string(again) != got.Digest {
				t.Error("what is to be written has another digest")
			}
			if changed := must[step.Write](t)(effect.row("run", "node", []any{r.arg})); changed.Digest == was.Digest {
				t.Error("the test changes nothing")
			}
		})
	}
}

func show(v any) string {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && !r.IsNil() {
		v = r.Elem().Interface()
	}
	return fmt.Sprintf("%T %v", v, v)
}

// What cannot change is not copied, which most columns are.
func TestPlainValuesCostNothing(t *testing.T) {
	values := []any{"a", int64(1), true, 1.5, time.Now(), nil, 7, int32(3)}
	if n := testing.AllocsPerRun(100, func() {
		for _, v := range values {
			_, _ = snapshot(v)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// code stores itself by a method of its pointer, which pgx would call for nil too, and hides nothing.
type code string

func (c *code) Value() (driver.Value, error) { return string(*c), nil }

// NULLs of all kinds stay what they are.
func TestSnapshotsOfNothing(t *testing.T) {
	t.Parallel()
	for _, v := range []any{[]byte(nil), (*int)(nil), []string(nil), map[string]int(nil), tags(nil), json.RawMessage(nil), net.IP(nil), (*big.Int)(nil)} {
		got, err := snapshot(v)
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%T: %#v, %v", v, got, err)
		}
	}
	if got, err := snapshot((*money)(nil)); got != nil || err != nil {
		t.Errorf("a valuer that is nil: %#v, %v", got, err)
	}
	if got, err := snapshot((*code)(nil)); got != nil || err != nil {
		t.Errorf("a nil pointer whose type has Value: %#v, %v", got, err)
	}
	if got, err := snapshot([]byte{}); err != nil || got.([]byte) == nil {
		t.Errorf("no bytes became %#v, %v", got, err)
	}
}

func BenchmarkRow(b *testing.B) {
	effect := &Effect{Table: `"t"`, Columns: []string{"user", "amount", "body"}}
	body := make([]byte, 200)
	for name, args := range map[string][]any{"plain": {"ann", int64(5), "text"}, "bytes": {"ann", int64(5), body}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := effect.row("run_06h2zawz8sdpaz92dqp6z5edgw", "charge", args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
