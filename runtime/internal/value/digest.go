package value

import (
	"cmp"
	"crypto/sha256"
	"database/sql/driver"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"
	"time"
)

// Digest returns the SHA-256 of an effect's columns by name and value. NULLs leave no trace, so that
// adding a column which older rows do not set keeps their digests; the columns are taken in the order of their
// names, so that moving a field in its struct does too. The columns of the key are part of it: two rows under
// one key with the same digest are the same row.
func Digest(columns []string, args []any) ([]byte, error) {
	d := digester{h: sha256.New()}
	var few [16]int
	for _, i := range byName(few[:0], columns) {
		if err := d.column(columns[i], args[i]); err != nil {
			return nil, fmt.Errorf("idem: column %q: %w", columns[i], err)
		}
	}
	return d.h.Sum(nil), nil
}

// byName appends the places of the columns in the order of their names.
func byName(order []int, columns []string) []int {
	for i := range columns {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(columns[a], columns[b]) })
	return order
}

// digester writes values in a form in which no two different sequences look alike: each value is
// preceded by its column's name, its kind and its length.
type digester struct {
	h   hash.Hash
	buf []byte
}

// Kinds of digested values. Their numbers are part of stored digests and never change.
const (
	kindText  byte = 1
	kindBytes byte = 2
	kindInt   byte = 3
	kindUint  byte = 4
	kindFloat byte = 5
	kindBool  byte = 6
	kindTime  byte = 7
	kindJSON  byte = 8
)

func (d *digester) column(name string, v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		d.put(name, kindText, []byte(v))
	case []byte:
		if v != nil {
			d.put(name, kindBytes, v)
		}
	case bool:
		d.put(name, kindBool, fmt.Append(nil, v))
	case int:
		d.int(name, int64(v))
	case int64:
		d.int(name, v)
	case time.Time:
		// timestamptz keeps microseconds; the zone is not kept at all.
		d.put(name, kindTime, binary.BigEndian.AppendUint64(nil, uint64(v.UnixMicro())))
	case driver.Valuer:
		return d.valuer(name, v)
	default:
		return d.reflected(name, reflect.ValueOf(v))
	}
	return nil
}

func (d *digester) valuer(name string, v driver.Valuer) error {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
		return nil
	}
	value, err := v.Value()
	if err != nil {
		return err
	}
	if _, again := value.(driver.Valuer); again {
		return fmt.Errorf("%T.Value gave another driver.Valuer", v)
	}
	return d.column(name, value)
}

// reflected serves named types by their kind, follows pointers, and takes the JSON form of the rest.
func (d *digester) reflected(name string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return d.column(name, v.Elem().Interface())
	case reflect.String:
		d.put(name, kindText, []byte(v.String()))
	case reflect.Bool:
		return d.column(name, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.int(name, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.put(name, kindUint, binary.BigEndian.AppendUint64(nil, v.Uint()))
	case reflect.Float32, reflect.Float64:
		d.put(name, kindFloat, binary.BigEndian.AppendUint64(nil, math.Float64bits(v.Float())))
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return nil
		}
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			d.put(name, kindBytes, v.Bytes())
			return nil
		}
		if v.Kind() == reflect.Slice && hidden(v.Type().Elem()) {
			return d.values(name, v)
		}
		return d.json(name, inUTC(v).Interface())
	default:
		return d.json(name, v.Interface())
	}
	return nil
}

// hidden reports whether a type stores itself, and JSON sees nothing of it.
func hidden(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	if t.Kind() != reflect.Struct || !p.Implements(valuerType) {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.Anonymous {
			return false
		}
	}
	return !p.Implements(reflect.TypeFor[json.Marshaler]()) && !p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

var valuerType = reflect.TypeFor[driver.Valuer]()

// values digests what the elements of a slice say of themselves.
func (d *digester) values(name string, v reflect.Value) error {
	all := make([]driver.Value, v.Len())
	for i := range all {
		element := v.Index(i)
		if element.Kind() != reflect.Pointer {
			element = element.Addr()
		}
		if element.IsNil() {
			continue
		}
		var err error
		if all[i], err = element.Interface().(driver.Valuer).Value(); err != nil {
			return err
		}
	}
	return d.json(name, all)
}

// inUTC returns times in one zone, whatever the machine's is: a timestamptz keeps none. Other values are as they were.
func inUTC(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Slice {
		return v
	}
	switch v.Type().Elem() {
	case reflect.TypeFor[time.Time]():
		all := make([]time.Time, v.Len())
		for i := range all {
			all[i] = v.Index(i).Interface().(time.Time).UTC()
		}
		return reflect.ValueOf(all)
	case reflect.TypeFor[*time.Time]():
		all := make([]*time.Time, v.Len())
		for i := range all {
			if at := v.Index(i).Interface().(*time.Time); at != nil {
				all[i] = new(at.UTC())
			}
		}
		return reflect.ValueOf(all)
	}
	return v
}

func (d *digester) json(name string, v any) error {
	data, err := Marshal(v)
	if err != nil {
		return err
	}
	d.put(name, kindJSON, data)
	return nil
}

func (d *digester) int(name string, v int64) {
	d.put(name, kindInt, binary.BigEndian.AppendUint64(nil, uint64(v)))
}

func (d *digester) put(name string, kind byte, value []byte) {
	b := binary.AppendUvarint(d.buf[:0], uint64(len(name)))
	b = append(b, name...)
	b = append(b, kind)
	b = binary.AppendUvarint(b, uint64(len(value)))
	d.buf = append(b, value...)
	d.h.Write(d.buf)
}
