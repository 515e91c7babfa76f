package value

import (
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func digestOf(t *testing.T, columns []string, args ...any) string {
	t.Helper()
	return hex.EncodeToString(must[[]byte](t)(Digest(columns, args)))
}

// No two different rows have one digest: names and values are drawn from what runs together most easily.
func TestDigestsDoNotCollide(t *testing.T) {
	t.Parallel()
	texts := []string{"", "a", "b", "aa", "ab", "ba", "\x00", "\x00\x00", "\x01", "1", "\x01a", "a\x01", "true", "\x00\x00\x00\x00\x00\x00\x00\x01", "{}", "null"}
	values := []any{nil, true, false, int64(0), int64(1), uint64(1), 1.0, 0.0, time.UnixMicro(1), map[string]int{}, []int{}, []string{"a"}}
	for _, s := range texts {
		values = append(values, s, []byte(s))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[string]string{}
	for range 50_000 {
		row := map[string]any{}
		for range rng.IntN(4) {
			row[texts[1+rng.IntN(len(texts)-1)]] = values[rng.IntN(len(values))]
		}
		var columns []string
		var args []any
		text := ""
		for _, name := range texts { // one order, for the text
			v, ok := row[name]
			if !ok {
				continue
			}
			columns, args = append(columns, name), append(args, v)
			if v != nil {
				text += fmt.Sprintf("%q=%T(%#v) ", name, v, v)
			}
		}
		digest := digestOf(t, columns, args...)
		if other, again := seen[digest]; again && other != text {
			t.Fatalf("%s and %s have one digest", text, other)
		}
		seen[digest] = text
	}
	if len(seen) < 1000 {
		t.Fatalf("only %d different rows", len(seen))
	}
}

// A column that is NULL leaves no trace, so that adding it changes no stored digest.
func TestNullLeavesNoTrace(t *testing.T) {
	t.Parallel()
	var (
		noInt   *int64
		noText  *string
		noBytes []byte
		noSlice []string
		noMap   map[string]int
		noRaw   json.RawMessage
	)
	want := digestOf(t, []string{"a"}, int64(1))
	for _, null := range []any{nil, noInt, noText, noBytes, noSlice, noMap, noRaw, sql.NullString{}, sql.NullInt64{}, sql.Null[time.Time]{}, (*moody)(nil)} {
		if got := digestOf(t, []string{"a", "b"}, int64(1), null); got != want {
			t.Errorf("%T: a NULL column has changed the digest", null)
		}
	}
	for _, empty := range []any{"", []byte{}, []string{}, map[string]int{}, int64(0), false, sql.NullString{Valid: true}} {
		if got := digestOf(t, []string{"a", "b"}, int64(1), empty); got == want {
			t.Errorf("%T: an empty value counts as NULL", empty)
		}
	}
}

type (
	word    string
	count   int32
	yes     bool
	moody   struct{ err error }
	endless struct{}
)

func (m moody) Value() (driver.Value, error) { return "moody", m.err }
func (endless) Value() (driver.Value, error) { return endless{}, nil }
func pointer[T any](v T) *T                  { return &v }

// What is stored as the same value has the same digest, whichever Go type it comes as.
func TestDigestFollowsTheStoredValue(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 2, 3, 4, 5, 678_901_234, time.UTC)
	for name, same := range map[string][]any{
		"text":         {"x", word("x"), pointer("x"), pointer(pointer("x")), sql.NullString{String: "x", Valid: true}},
		"integer":      {int64(7), int(7), int8(7), int16(7), count(7), pointer(count(7)), sql.NullInt32{Int32: 7, Valid: true}, time.Duration(7)},
		"unsigned":     {uint64(7), uint8(7), uint32(7), pointer(uint(7))},
		"boolean":      {true, yes(true), pointer(true), sql.NullBool{Bool: true, Valid: true}},
		"bytes":        {[]byte("x"), json.RawMessage("x"), pointer([]byte("x"))},
		"microseconds": {at, at.Truncate(time.Microsecond), at.In(time.FixedZone("x", 3600)), at.Add(700 * time.Nanosecond), pointer(at)},
		"float":        {1.5, float32(1.5), pointer(1.5)},
		"JSON":         {map[string]int{"a": 1, "b": 2}, pointer(map[string]int{"b": 2, "a": 1})},
		"valuer":       {moody{}, &moody{}, "moody"},
	} {
		want := digestOf(t, []string{"c"}, same[0])
		for _, v := range same[1:] {
			if got := digestOf(t, []string{"c"}, v); got != want {
				t.Errorf("%s: %T(%v) has another digest than %T(%v)", name, v, v, same[0], same[0])
			}
		}
	}
	if digestOf(t, []string{"c"}, at) == digestOf(t, []string{"c"}, at.Add(time.Microsecond)) {
		t.Error("two microseconds have one digest")
	}
	if digestOf(t, []string{"c"}, math.Copysign(0, -1)) == digestOf(t, []string{"c"}, 1e-300) {
		t.Error("two floats have one digest")
	}
}

func TestDigestRefusesWhatItCannotTell(t *testing.T) {
	t.Parallel()
	fault := errors.New("no value")
	for _, v := range []any{moody{err: fault}, endless{}, make(chan int), func() {}, []float64{math.NaN()}, map[string]any{"x": make(chan int)}} {
		_, err := Digest([]string{"column"}, []any{v})
		if err == nil || !strings.Contains(err.Error(), `"column"`) {
			t.Errorf("%T: %v, want an error that names the column", v, err)
		}
	}
	if _, err := Digest([]string{"c"}, []any{moody{err: fault}}); !errors.Is(err, fault) {
		t.Errorf("the value's own error is lost: %v", err)
	}
}

// Digests and run ids stand in users' databases: these values are what every later version must give. F40: a
// redeploy changes no key.
func TestStoredIdentitiesNeverChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want string }{
		"digest": {digestOf(t, []string{"user_id", "amount", "at", "note", "ratio", "ok", "raw", "extra"},
			"ann", int64(100), time.UnixMicro(1_700_000_000_000_001), nil, 0.5, true, []byte{0, 1}, map[string]int{"b": 2, "a": 1}), "4d4eeb5bbecf640befdbf2e2f1d0757eb21818058873ba70bafda4dc46047313"},
		"keyed run": {KeyedRunID("tenant", "charge", "key"), "key_u5lgtc2gm4zvnvzlvc5bu6weqhz6vqr3"},
		"child run": {ChildRunID("run_1", "order", "receipt", 1), "sub_raxujwo6dvr2e2ukxkqz64fy5ehbdrgm"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %s, was %s", name, c.got, c.want)
		}
	}
}

func TestRunIDs(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	add := func(what, id string) {
		if other, again := seen[id]; again {
			t.Errorf("%s and %s have the id %s", what, other, id)
		}
		seen[id] = what
		if len(id) > 64 || strings.ToLower(id) != id || strings.ContainsAny(id, " %'\"") {
			t.Errorf("%s: id %q", what, id)
		}
	}
	parts := []string{"", "a", "b", "ab", "a\x00b", "\x00", "A"}
	for _, x := range parts {
		for _, y := range parts {
			for _, z := range parts {
				add(fmt.Sprintf("key %q %q %q", x, y, z), KeyedRunID(x, y, z))
				add(fmt.Sprintf("child %q %q %q", x, y, z), ChildRunID(x, y, z, 1))
			}
		}
	}
	for n := range 300 {
		add(fmt.Sprintf("child %d", n+2), ChildRunID("a", "a", "a", n+2))
	}
	last := ""
	for range 1000 {
		id := NewRunID()
		add("new", id)
		if id <= last {
			t.Errorf("id %s after %s: new rows should stand side by side in the index", id, last)
		}
		last = id
	}
}
