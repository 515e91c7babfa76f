package idemimpl

import (
	"bytes"
	"database/sql/driver"
	"math/big"
	"reflect"
	"sync"
	"time"
)

// snapshot returns v as it is now: what is recorded is written when the step completes, and the handler may use its buffers,
// slices, maps and pointers again before that. Values that cannot change are given back as they are, others as a copy of the
// same type. What keeps something by reference in a field that is not exported is asked for its value, if it is a
// [driver.Valuer], as pgx would ask it later. If it is none, that field is its own affair.
func snapshot(v any) (any, error) {
	switch v := v.(type) {
	case nil, string, bool, int, int64, int32, float64, time.Time:
		return v, nil
	case []byte:
		return bytes.Clone(v), nil
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && r.IsNil() {
		if _, stores := v.(driver.Valuer); stores {
			return nil, nil // NULL, as in the digest; pgx would call a method of the pointer
		}
		return v, nil
	}
	switch shapeOf(r.Type()) {
	case fixed:
		return v, nil
	case hiding:
		if valuer, ok := v.(driver.Valuer); ok {
			return valueOf(valuer)
		}
	}
	return clone(r).Interface(), nil
}

// valueOf returns the value that a valuer has now, and not what it keeps of that.
func valueOf(valuer driver.Valuer) (any, error) {
	value, err := valuer.Value()
	if b, ok := value.([]byte); ok {
		return bytes.Clone(b), err
	}
	return value, err
}

// shape says what of a type's values can change after they were given away.
type shape int

const (
	fixed  shape = iota // nothing
	open                // what can be reached and copied
	hiding              // also what cannot
)

var shapes sync.Map // of types that were met

func shapeOf(t reflect.Type) shape {
	if s, known := shapes.Load(t); known {
		return s.(shape)
	}
	s := shapeWithin(t, map[reflect.Type]bool{})
	shapes.Store(t, s)
	return s
}

// shapeWithin looks at a type that others are made of, which may be made of them.
func shapeWithin(t reflect.Type, outer map[reflect.Type]bool) shape {
	switch {
	case t == timeType:
		return fixed
	case t == bigType, outer[t]:
		return open
	}
	outer[t] = true
	defer delete(outer, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return max(open, shapeWithin(t.Elem(), outer))
	case reflect.Map:
		return max(open, shapeWithin(t.Elem(), outer), shapeWithin(t.Key(), outer))
	case reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return open
	case reflect.Array:
		return shapeWithin(t.Elem(), outer)
	case reflect.Struct:
		return shapeOfFields(t, outer)
	}
	return fixed
}

func shapeOfFields(t reflect.Type, outer map[reflect.Type]bool) (s shape) {
	for i := range t.NumField() {
		f := t.Field(i)
		of := shapeWithin(f.Type, outer)
		if of != fixed && !f.IsExported() {
			return hiding
		}
		s = max(s, of)
	}
	return s
}

var (
	timeType = reflect.TypeFor[time.Time]() // its pointer is to a zone, which does not change
	bigType  = reflect.TypeFor[big.Int]()   // can be copied by its own methods
)

// clone copies a value with all that it holds, as far as it can be reached.
func clone(v reflect.Value) reflect.Value {
	t := v.Type()
	if shapeOf(t) == fixed {
		return v
	}
	c := reflect.New(t).Elem()
	c.Set(v)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		if v.IsNil() {
			return c
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		to := reflect.New(t.Elem())
		to.Elem().Set(clone(v.Elem()))
		c.Set(to.Convert(t))
	case reflect.Interface:
		c.Set(clone(v.Elem()))
	case reflect.Slice:
		c.Set(reflect.MakeSlice(t, v.Len(), v.Len()))
		reflect.Copy(c, v)
		cloneElements(c)
	case reflect.Array:
		cloneElements(c)
	case reflect.Map:
		c.Set(reflect.MakeMapWithSize(t, v.Len()))
		for it := v.MapRange(); it.Next(); {
			c.SetMapIndex(it.Key(), clone(it.Value()))
		}
	case reflect.Struct:
		cloneFields(c)
	}
	return c
}

// cloneElements makes the elements of a slice or an array its own.
func cloneElements(c reflect.Value) {
	if shapeOf(c.Type().Elem()) == fixed {
		return
	}
	for i := range c.Len() {
		c.Index(i).Set(clone(c.Index(i)))
	}
}

// cloneFields makes the exported fields of a struct its own, and the digits of a number.
func cloneFields(c reflect.Value) {
	if c.Type() == bigType {
		n := c.Addr().Interface().(*big.Int)
		*n = *new(big.Int).Set(n) // n.Set would write where the other one's digits are
		return
	}
	for i := range c.NumField() {
		if f := c.Field(i); f.CanSet() {
			f.Set(clone(f))
		}
	}
}
