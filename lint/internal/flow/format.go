package flow

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idem-go/idem/lint/internal/known"
)

// shaped evaluates the functions whose result's shape is worth knowing; for others it gives nil.
func (u *unit) shaped(call *ssa.Call, f *types.Func, args []ssa.Value) *Value {
	switch known.OfFunc(f) {
	case "fmt.Sprintf":
		return u.sprintf(call, args)
	case "fmt.Appendf":
		return concat(u.value(args[0]), u.sprintf(call, args[1:]))
	case "fmt.Sprint":
		return u.sprint(call, "")
	case "fmt.Sprintln":
		return u.sprint(call, " ")
	case "strconv.FormatInt", "strconv.FormatUint":
		return u.value(args[0])
	case "strings.Join":
		return u.joined(args)
	case "strings.Repeat":
		return u.repeated(args)
	case "encoding/hex.EncodeToString":
		if v := u.value(args[0]); v != nil && v.fixed() && v.Fields == nil {
			return sized(v, 2*v.MinLength())
		}
	case "time.Time.Format":
		if layout, ok := u.value(args[1]).Constant(); ok && !strings.Contains(layout, "05") {
			return carry(u.value(args[0]).without(isFresh))
		}
	case "bytes.Join", "slices.Collect":
		return carry(u.together(args))
	}
	return nil
}

func (u *unit) sprint(call *ssa.Call, between string) *Value {
	list := variadic(&call.Call)
	if list == nil {
		return nil
	}
	var v *Value
	for i, x := range list {
		if i > 0 && between != "" {
			v = concat(v, text(between))
		}
		v = concat(v, u.formatted(x, 'v', verb{letter: 'v'}))
	}
	return u.folded(call, v)
}

// joined is strings.Join.
func (u *unit) joined(args []ssa.Value) *Value {
	list := elementsOf(args[0])
	if list == nil {
		return carry(u.value(args[0]), u.value(args[1]))
	}
	var v *Value
	for i, x := range list {
		if i > 0 {
			v = concat(v, u.value(args[1]))
		}
		v = concat(v, u.value(x))
	}
	return v
}

// maxRepeat bounds what strings.Repeat is folded to.
const maxRepeat = 1 << 16

func (u *unit) repeated(args []ssa.Value) *Value {
	s, ok := u.value(args[0]).Constant()
	n, isConst := args[1].(*ssa.Const)
	if !ok || !isConst || n.Int64() < 0 || n.Int64()*int64(len(s)) > maxRepeat {
		return nil
	}
	return text(strings.Repeat(s, int(n.Int64())))
}

// verb is one verb of a format.
type verb struct {
	start, end int // in the format
	letter     byte
	zero       bool // padded with zeros
	width      int
	arg        int
}

// verbs finds the verbs of a format. It gives up, with ok false, on forms that it does not know.
func verbs(format string) (list []verb, ok bool) {
	arg := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		v := verb{start: i}
		for i++; i < len(format) && strings.IndexByte("+-# 0", format[i]) >= 0; i++ {
			v.zero = v.zero || format[i] == '0'
		}
		if i < len(format) && format[i] == '[' {
			end := strings.IndexByte(format[i:], ']')
			n, err := strconv.Atoi(format[i+1 : i+max(end, 1)])
			if end < 0 || err != nil {
				return nil, false
			}
			arg, i = n-1, i+end+1
		}
		digits := i
		for i < len(format) && format[i] >= '0' && format[i] <= '9' {
			i++
		}
		v.width, _ = strconv.Atoi(format[digits:i])
		for i < len(format) && (format[i] == '.' || format[i] >= '0' && format[i] <= '9') {
			i++
		}
		if i >= len(format) || format[i] == '*' {
			return nil, false
		}
		v.letter, v.end = format[i], i+1
		if v.letter != '%' {
			v.arg = arg
			arg++
		}
		list = append(list, v)
	}
	return list, true
}

// sprintf evaluates a format and its arguments.
func (u *unit) sprintf(call *ssa.Call, args []ssa.Value) *Value {
	format, ok := u.value(args[0]).Constant()
	list := elementsOf(args[len(args)-1])
	if !ok || list == nil {
		return carry(u.together(args))
	}
	found, ok := verbs(format)
	if !ok {
		return carry(u.together(args))
	}
	v, at := &Value{}, 0
	for _, verb := range found {
		v = concat(v, text(format[at:verb.start]))
		at = verb.end
		switch {
		case verb.letter == '%':
			v = concat(v, text("%"))
		case verb.letter == 'T':
			v = concat(v, opaque(Origin{Kind: Word}))
		case verb.arg < len(list) && list[verb.arg] != nil:
			v = concat(v, u.formatted(list[verb.arg], verb.letter, verb))
		}
	}
	return u.folded(call, concat(v, text(format[at:])))
}

// formatted is an argument as a verb prints it.
func (u *unit) formatted(x ssa.Value, letter byte, verb verb) *Value {
	arg := unwrap(x)
	v := u.value(arg)
	if v == nil {
		v = unknown
	}
	if v.Fields != nil {
		v = carry(v)
	}
	if letter == 'p' || printsAddress(arg.Type()) {
		what := "an address, which %" + string(letter) + " prints"
		return carry(v, opaque(Origin{Kind: Order, What: what, Pos: x.Pos()}))
	}
	if _, isMap := arg.Type().Underlying().(*types.Map); isMap {
		v = v.without(isOrder) // package fmt sorts the keys
	}
	switch {
	case letter == 'q':
		return concat(text("\""), carry(v), text("\""))
	case isUUID(arg.Type()):
		return sized(v, 36)
	case letter == 'x' && v.fixed() && len(v.Parts) == 1 && !v.Parts[0].Const:
		return sized(v, 2*v.MinLength())
	case verb.width > 0 && verb.zero:
		return sized(v, verb.width)
	}
	return v
}

// printsAddress reports whether package fmt prints a value of this type as an address.
func printsAddress(t types.Type) bool {
	if hasMethod(t, "Error") || hasMethod(t, "String") || hasMethod(t, "Format") {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return true
	case *types.Pointer:
		switch t.Elem().Underlying().(type) {
		case *types.Struct, *types.Map, *types.Slice, *types.Array:
			return false // printed as &{…}
		}
		return true
	}
	return false
}

func hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

func isUUID(t types.Type) bool {
	named := known.Named(t)
	if named == nil || named.Obj().Name() != "UUID" {
		return false
	}
	a, ok := named.Underlying().(*types.Array)
	return ok && a.Len() == 16
}
