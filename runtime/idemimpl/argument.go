package idemimpl

import (
	"database/sql"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/idem-go/idem/runtime/internal/value"
)

// The functions of this file turn field values into statement arguments and back. Generated code
// calls them for the column types that pgx does not take as they are.

// argument is a value that had to be converted; the conversion may have failed, which [Effect.Record]
// and [Effect.Insert] report.
type argument struct {
	value  any // what the statement takes
	digest any // what the payload's digest is of, where that is not value
	err    error
}

// digested returns what the payload's digest is of. A value that is sent in another form than before keeps its digest.
func (a argument) digested() any {
	if a.digest != nil {
		return a.digest
	}
	return a.value
}

// OrDefault returns nil for a zero value, so that the column takes its default.
func OrDefault[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// NonZero returns nil for a zero value, and else a pointer to v: with the Opt functions of this file, a column
// takes its default where its field is zero.
func NonZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// JSON returns v marshalled, for a json or jsonb column. A nil map, slice or pointer is NULL.
func JSON(v any) any {
	data, err := value.Marshal(v)
	if err != nil {
		return argument{err: err}
	}
	if string(data) == "null" {
		return nil
	}
	return argument{value: string(data), err: value.CheckText(data)}
}

// ScanJSON reads a json or jsonb column into dest; NULL leaves it as it is.
func ScanJSON(dest any) any {
	return scanText{func(text string) error { return json.Unmarshal([]byte(text), dest) }}
}

// Text returns v's text form.
func Text(v encoding.TextMarshaler) any {
	data, err := v.MarshalText()
	if err != nil {
		return argument{err: err}
	}
	return argument{value: string(data)}
}

// OptText is [Text] for a pointer; nil is NULL.
func OptText[T any, P interface {
	*T
	encoding.TextMarshaler
}](v P) any {
	if v == nil {
		return nil
	}
	return Text(v)
}

// ScanText reads a text form into v.
func ScanText(v encoding.TextUnmarshaler) any {
	return scanText{func(text string) error { return v.UnmarshalText([]byte(text)) }}
}

// OptScanText is [ScanText] for a pointer field; NULL makes it nil.
func OptScanText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](dest **T) any {
	*dest = nil
	return scanText{func(text string) error {
		v := new(T)
		if err := P(v).UnmarshalText([]byte(text)); err != nil {
			return err
		}
		*dest = v
		return nil
	}}
}

// UUID returns a [16]byte in the text form of a uuid.
func UUID[T ~[16]byte](v T) any {
	return argument{value: formatUUID(v)}
}

func formatUUID(v [16]byte) string {
	h := hex.EncodeToString(v[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// OptUUID is [UUID] for a pointer; nil is NULL.
func OptUUID[T ~[16]byte](v *T) any {
	if v == nil {
		return nil
	}
	return UUID(*v)
}

// ScanUUID reads a uuid into dest.
func ScanUUID[T ~[16]byte](dest *T) any {
	return scanText{func(text string) error { return parseUUID(text, dest) }}
}

// OptScanUUID is [ScanUUID] for a pointer field; NULL makes it nil.
func OptScanUUID[T ~[16]byte](dest **T) any {
	*dest = nil
	return scanText{func(text string) error {
		*dest = new(T)
		return parseUUID(text, *dest)
	}}
}

func parseUUID[T ~[16]byte](text string, dest *T) error {
	digits := make([]byte, 0, 32)
	for i := range len(text) {
		if text[i] != '-' {
			digits = append(digits, text[i])
		}
	}
	raw, err := hex.DecodeString(string(digits))
	if err != nil || len(raw) != 16 {
		return fmt.Errorf("idem: %q is not a uuid", text)
	}
	*dest = T([16]byte(raw))
	return nil
}

// Uint64 returns an unsigned integer for a numeric(20,0) column, which holds all of them.
func Uint64[T ~uint | ~uint64 | ~uintptr](v T) any {
	return argument{value: strconv.FormatUint(uint64(v), 10)}
}

// OptUint64 is [Uint64] for a pointer; nil is NULL.
func OptUint64[T ~uint | ~uint64 | ~uintptr](v *T) any {
	if v == nil {
		return nil
	}
	return Uint64(*v)
}

// ScanUint64 reads a numeric(20,0) into dest.
func ScanUint64[T ~uint | ~uint64 | ~uintptr](dest *T) any {
	return scanText{func(text string) error { return parseUint(text, dest) }}
}

// OptScanUint64 is [ScanUint64] for a pointer field; NULL makes it nil.
func OptScanUint64[T ~uint | ~uint64 | ~uintptr](dest **T) any {
	*dest = nil
	return scanText{func(text string) error {
		*dest = new(T)
		return parseUint(text, *dest)
	}}
}

func parseUint[T ~uint | ~uint64 | ~uintptr](text string, dest *T) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return err
	}
	*dest = T(n)
	return nil
}

// Array returns a slice, or what a pointer to one points to, for an array column. It serves slices that pgx does not
// know by their Go type, which is all that it goes by in its exec and simple modes: those with a name of their
// own, and those of named elements or uuids. A nil slice, pointer or element is NULL.
func Array(v any) any {
	s := reflect.ValueOf(v)
	if s.Kind() == reflect.Pointer && !s.IsNil() {
		s = s.Elem()
	}
	if s.IsNil() {
		return nil
	}
	if text, ok := arrayText(s); ok {
		return argument{value: text, digest: v}
	}
	unnamed := reflect.SliceOf(s.Type().Elem())
	return argument{value: s.Convert(unnamed).Interface(), digest: v}
}

// scanText is a scan target that hands a column's text form on; NULL does nothing.
type scanText struct{ parse func(text string) error }

var _ sql.Scanner = scanText{}

// Scan implements [sql.Scanner].
func (s scanText) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		return nil
	case string:
		return s.parse(src)
	case []byte:
		return s.parse(string(src))
	default:
		return s.parse(fmt.Sprint(src))
	}
}
