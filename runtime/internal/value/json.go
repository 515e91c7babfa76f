package value

import (
	"encoding/json"
	"reflect"
)

// Marshal returns v in JSON as encoding/json writes what v stands in: it calls methods on pointer receivers too, which a value
// that was passed by itself does not have.
func Marshal(v any) ([]byte, error) {
	r := reflect.ValueOf(v)
	if !r.IsValid() || r.Kind() == reflect.Pointer || plain(r.Kind()) && r.NumMethod() == 0 && reflect.PointerTo(r.Type()).NumMethod() == 0 {
		return json.Marshal(v)
	}
	p := reflect.New(r.Type())
	p.Elem().Set(r)
	return json.Marshal(p.Interface())
}

// plain reports whether values of the kind hold no others, which could have methods.
func plain(k reflect.Kind) bool {
	return k == reflect.String || k >= reflect.Bool && k <= reflect.Complex128
}
