package idemimpl

import (
	"encoding/hex"
	"net"
	"reflect"
	"strconv"
	"strings"
)

// arrayText writes a slice in the text form of a Postgres array; false when its elements have none
// here.
func arrayText(v reflect.Value) (string, bool) {
	element := elementText(v.Type().Elem())
	if element == nil {
		return "", false
	}
	var b strings.Builder
	b.WriteByte('{')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(element(v.Index(i)))
	}
	b.WriteByte('}')
	return b.String(), true
}

// elementText returns what writes elements of the type, or nil.
func elementText(t reflect.Type) func(reflect.Value) string {
	switch t.Kind() {
	case reflect.Pointer:
		return pointerText(t)
	case reflect.String:
		return func(v reflect.Value) string { return quoteElement(v.String()) }
	case reflect.Bool:
		return func(v reflect.Value) string { return strconv.FormatBool(v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value) string { return strconv.FormatInt(v.Int(), 10) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(v reflect.Value) string { return strconv.FormatUint(v.Uint(), 10) }
	case reflect.Float32, reflect.Float64:
		return func(v reflect.Value) string { return strconv.FormatFloat(v.Float(), 'g', -1, t.Bits()) }
	}
	uuid := reflect.TypeFor[[16]byte]()
	switch {
	case t.Kind() == reflect.Array && t.ConvertibleTo(uuid):
		return func(v reflect.Value) string { return formatUUID(v.Convert(uuid).Interface().([16]byte)) }
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && t != reflect.TypeFor[net.IP]():
		return bytesText
	}
	return nil
}

func pointerText(t reflect.Type) func(reflect.Value) string {
	element := elementText(t.Elem())
	if element == nil {
		return nil
	}
	return func(v reflect.Value) string {
		if v.IsNil() {
			return "NULL"
		}
		return element(v.Elem())
	}
}

func bytesText(v reflect.Value) string {
	if v.IsNil() {
		return "NULL"
	}
	return `"\\x` + hex.EncodeToString(v.Bytes()) + `"`
}

func quoteElement(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
