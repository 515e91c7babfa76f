package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Recv is a method's receiver.
type Recv struct {
	Type    string // the Go name of the receiver's type
	Pointer bool
}

// String writes the receiver's type.
func (r Recv) String() string {
	if r.Pointer {
		return "*" + r.Type
	}
	return r.Type
}

// Select is how Go names a function, or a member of the receiver's type: "Charge", "Billing.Finalize".
func Select(recv *Recv, name string) string {
	if recv == nil {
		return name
	}
	return recv.Type + "." + name
}

// Joined is the word for a function or a method in generated names: "Charge", "BillingFinalize".
func Joined(recv *Recv, name string) string {
	if recv == nil {
		return name
	}
	return recv.Type + UpperFirst(name)
}

// IsExported reports whether Go exports the name.
func IsExported(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first)
}

// UpperFirst makes a name exported.
func UpperFirst(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// LowerFirst makes a name unexported. A leading initialism is lowered as a whole: URLEntry, urlEntry.
func LowerFirst(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		wordStarts := i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if !unicode.IsUpper(r) || wordStarts {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// Cased writes a generated name like what it is generated for: unexported unless that is exported.
func Cased(name string, exported bool) string {
	if exported {
		return name
	}
	return LowerFirst(name)
}

// display takes the marks of package names out of a type's expression.
var display = strings.NewReplacer("${", "", "}", "")
