package sqltext

import (
	"regexp"
	"slices"
	"strings"
)

// ParameterType is the type that a parameter for a column of this type is cast to: the same without its
// limits. A cast to varchar(3) would cut a longer text without a word, where the assignment to the column
// refuses it.
func ParameterType(columnType string) string {
	base, array := splitArray(unlimited(columnType))
	switch canonical(base) {
	case "char":
		base = "bpchar"
	case "bit":
		base = "varbit"
	}
	return base + array
}

// Collatable reports whether the type takes a COLLATE clause that decides which values are equal.
func Collatable(columnType string) bool {
	base, _ := splitArray(unlimited(columnType))
	return slices.Contains([]string{"text", "varchar", "char", "bpchar"}, canonical(base))
}

// elements are the types whose values pgx writes into an array as it writes them alone.
var elements = []string{
	"text", "varchar", "char", "bpchar", "boolean", "smallint", "integer", "bigint", "real", "double precision", "numeric",
	"timestamptz", "timestamp", "date", "time", "uuid", "bytea", "json", "jsonb",
}

// IsElement reports whether the type is a built-in scalar one whose values can be sent as elements of an array.
func IsElement(columnType string) bool {
	base, array := splitArray(unlimited(columnType))
	return array == "" && slices.Contains(elements, canonical(base))
}

// IsJSON reports whether the type is json or jsonb.
func IsJSON(columnType string) bool {
	return slices.Contains([]string{"json", "jsonb"}, canonical(unlimited(columnType)))
}

// SameType reports whether two spellings name one type: int8 and bigint, varchar(3) and character varying(3).
func SameType(a, b string) bool {
	return spelling(a) == spelling(b)
}

func spelling(columnType string) string {
	base, array := splitArray(unlimited(columnType))
	return canonical(base) + limits(columnType) + array
}

// aliases leads from each other spelling of a type to the one that is compared.
var aliases = map[string]string{
	"int2": "smallint", "int": "integer", "int4": "integer", "int8": "bigint", "bool": "boolean",
	"float4": "real", "float8": "double precision", "decimal": "numeric",
	"character varying": "varchar", "character": "char", "nchar": "char",
	"national char": "char", "national character": "char", "bit varying": "varbit",
	"timestamp with time zone": "timestamptz", "timestamp without time zone": "timestamp",
	"time with time zone": "timetz", "time without time zone": "time",
}

func canonical(base string) string {
	if strings.Contains(base, `"`) {
		return base // a quoted name is that very name
	}
	lower := strings.ToLower(base)
	if name, ok := aliases[lower]; ok {
		return name
	}
	return lower
}

// unlimited writes the type with single spaces and without what stands in parentheses.
func unlimited(columnType string) string {
	return joined(columnType, func(depth int) bool { return depth == 0 })
}

// limits is what stands in the type's parentheses, without spaces.
func limits(columnType string) string {
	inside := joined(columnType, func(depth int) bool { return depth > 0 })
	return strings.ReplaceAll(inside, " ", "")
}

func joined(columnType string, keep func(depth int) bool) string {
	found, err := tokens(columnType)
	if err != nil {
		return columnType // CheckType has said so
	}
	var b strings.Builder
	depth := 0
	for _, t := range found {
		opens, closes := t.kind == symbol && t.text == "(", t.kind == symbol && t.text == ")"
		if opens {
			depth++
		}
		if keep(depth) {
			if t.spaced && b.Len() > 0 && t.kind != symbol {
				b.WriteByte(' ')
			}
			b.WriteString(t.text)
		}
		if closes {
			depth--
		}
	}
	return b.String()
}

var arraySuffix = regexp.MustCompile(`(?i)( array)?(\[\d*\])*$`)

// splitArray parts the array's brackets from its element type.
func splitArray(columnType string) (base, array string) {
	at := arraySuffix.FindStringIndex(columnType)[0]
	base, array = columnType[:at], columnType[at:]
	if array != "" {
		array = "[]"
	}
	return base, array
}

var simpleDefault = regexp.MustCompile(
	`^(-?\d+(\.\d+)?|\w+|\w+(\.\w+)?\([^()]*\)|'[^']*'(::\w+)?)$`)

// Default is the expression as it stands behind DEFAULT: in parentheses unless it is plainly one thing, so
// that no part of it can be taken for the column's next clause.
func Default(expression string) string {
	if simpleDefault.MatchString(expression) {
		return expression
	}
	return "(" + expression + ")"
}
