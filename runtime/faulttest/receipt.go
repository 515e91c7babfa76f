package faulttest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"reflect"
	"time"

	"github.com/idem-go/idem/runtime/provider/ledger"
)

// madeUp returns a receipt of a type: for one effect always the same, for another effect another one.
func madeUp(t reflect.Type, booked ledger.Receipt) any {
	m := maker{number: int64(crc32.ChecksumIEEE([]byte(booked.Key)) % 1_000_000), suffix: booked.Key[max(0, len(booked.Key)-6):]}
	if booked.Before > 0 { // a second effect under the key
		m.number += int64(booked.Before)
		m.suffix += fmt.Sprintf("-%d", booked.Before+1)
	}
	v := reflect.New(t).Elem()
	m.fill(v, "receipt", 0)
	return v.Interface()
}

// maker makes values up.
type maker struct {
	number int64
	suffix string
}

func (m *maker) text(name string) string { return name + "-" + m.suffix }

func (m *maker) at() time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(m.number) * time.Second)
}

// mostNested ends types that contain themselves.
const mostNested = 8

// fill fills what JSON brings back. What it does not know stays zero.
func (m *maker) fill(v reflect.Value, name string, depth int) {
	if depth > mostNested || !v.CanSet() || m.byItself(v, name) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int8:
		v.SetInt(1 + m.number%least(v, func(n int64) bool { return v.OverflowInt(n) }))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(1 + m.number%least(v, func(n int64) bool { return v.OverflowUint(uint64(n)) })))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(m.number) + 0.5)
	case reflect.String:
		v.SetString(m.text(name))
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(m.text(name)))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		m.fill(v.Elem(), name, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			m.fill(v.Field(i), v.Type().Field(i).Name, depth+1)
		}
	case reflect.Slice:
		m.fillSlice(v, name, depth)
	case reflect.Array:
		for i := range v.Len() {
			m.number += int64(i) * 37 // another number in each place
			m.fill(v.Index(i), name, depth+1)
			m.number -= int64(i) * 37
		}
	case reflect.Map:
		m.fillMap(v, name, depth)
	}
}

// least is the greatest of some bounds that a type of numbers can hold.
func least(v reflect.Value, overflows func(int64) bool) int64 {
	for _, n := range []int64{1_000_000, 10_000, 100} {
		if !overflows(n + 1) {
			return n
		}
	}
	return 1
}

func (m *maker) fillSlice(v reflect.Value, name string, depth int) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(m.text(name)))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	m.fill(v.Index(0), name, depth+1)
}

func (m *maker) fillMap(v reflect.Value, name string, depth int) {
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	m.fill(key, name, depth+1)
	m.fill(value, name, depth+1)
	v.Set(reflect.MakeMap(v.Type()))
	v.SetMapIndex(key, value)
}

// byItself fills a value whose type reads its own JSON, with the first text that it takes.
func (m *maker) byItself(v reflect.Value, name string) bool {
	target := v.Addr().Interface()
	switch t := target.(type) {
	case *time.Time:
		*t = m.at()
		return true
	case *json.RawMessage:
		*t, _ = json.Marshal(m.text(name))
		return true
	case json.Unmarshaler, encoding.TextUnmarshaler:
	default:
		return false
	}
	for _, candidate := range []any{
		m.text(name), m.number, fmt.Sprint(m.number), fmt.Sprintf("7b4e1a2c-0000-4000-8000-%012d", m.number), m.at(), "192.0.2.1", true,
	} {
		data, err := json.Marshal(candidate)
		fresh := reflect.New(v.Type())
		if err == nil && json.Unmarshal(data, fresh.Interface()) == nil {
			v.Set(fresh.Elem())
			return true
		}
	}
	return true
}
