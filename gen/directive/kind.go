package directive

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of an argument's value.
type Kind struct {
	Name  string // "duration"
	Form  string // how a value is written, for people
	Code  string // of the diagnostic for a bad value; "" for a flag, which has no value
	parse func(text string) (any, *mistake)
}

// mistake is what is wrong with a value, and what would be right.
type mistake struct{ message, fix string }

// The kinds of values, with the Go type that [Value] returns.
var (
	Node        = &Kind{"name", "lower-case letters, digits, '_', '.', '-', first a letter, at most 63", "bad-name", parseName}                   // string
	Queue       = &Kind{"queue", "lower-case letters, digits, '_', '.', '-', first a letter, at most 63", "bad-queue", parseName}                 // string
	Duration    = &Kind{"duration", "a Go duration over zero: 500ms, 10s, 1h30m", "bad-duration", parseDuration}                                  // time.Duration
	Count       = &Kind{"count", "a whole number, at least 1", "bad-count", func(s string) (any, *mistake) { return parseCount(s, 1) }}           // int
	CountOrNone = &Kind{"count", "a whole number, at least 0", "bad-count", func(s string) (any, *mistake) { return parseCount(s, 0) }}           // int
	Size        = &Kind{"size", "bytes over zero: 4096, 64KiB, 1MiB", "bad-size", parseSize}                                                      // int64
	Function    = &Kind{"function", "the name of a function of the package", "bad-function", parseFunction}                                       // string
	Companion   = &Kind{"function", "the name of a function of the package, or of a method of the same receiver", "bad-function", parseCompanion} // string
	TableName   = &Kind{"table", "name, or schema.name", "bad-table", parseTable}                                                                 // Table
	Field       = &Kind{"field", "one Go field or column", "bad-field", parseField}                                                               // string
	Fields      = &Kind{"fields", "Go fields or columns, with commas and no spaces: OrderID,Line", "bad-fields", parseFields}                     // []string
	Conflict    = &Kind{"rule", "nothing, or update(FieldA,FieldB)", "bad-conflict", parseConflict}                                               // OnConflict
	Flag        = &Kind{Name: "flag", Form: "the word alone", parse: func(string) (any, *mistake) { return true, nil }}                           // bool
)

// Table is the value of table=.
type Table struct{ Schema, Name string }

// OnConflict is the value of on_conflict=: update(…) with its fields, or nothing.
type OnConflict struct{ Update []string }

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,62}$`)

func parseName(text string) (any, *mistake) {
	if nameForm.MatchString(text) {
		return text, nil
	}
	m := &mistake{fmt.Sprintf("%q is not a valid name", text), "use [a-z][a-z0-9_.-]{0,62}"}
	if better := asName(text); better != "" {
		m.fix += ", such as " + better
	}
	return nil, m
}

// asName turns a text into the valid name that is nearest to it, or returns "".
func asName(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r >= 'A' && r <= 'Z':
			if i > 0 && text[i-1] >= 'a' && text[i-1] <= 'z' {
				b.WriteByte('_')
			}
			b.WriteRune(r + 'a' - 'A')
		case r == ' ' || r == '/' || r == ':':
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
	}
	if name := b.String(); nameForm.MatchString(name) {
		return name
	}
	return ""
}

func parseDuration(text string) (any, *mistake) {
	d, err := time.ParseDuration(text)
	switch {
	case err == nil && d > 0:
		return d, nil
	case err == nil:
		return nil, &mistake{fmt.Sprintf("the duration %s is not over zero", text), "leave the argument out for the default"}
	}
	fix := "write a Go duration such as 500ms, 10s or 1h30m"
	if _, err := strconv.ParseUint(text, 10, 32); err == nil {
		fix = fmt.Sprintf("a duration has a unit: %ss, %sms", text, text)
	} else if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			fix = fmt.Sprintf("a duration has no days: %dh", 24*n)
		}
	}
	return nil, &mistake{fmt.Sprintf("%q is not a duration", text), fix}
}

func parseCount(text string, least int) (any, *mistake) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n > math.MaxInt32:
		return nil, &mistake{fmt.Sprintf("%q is not a whole number below 2147483648", text), "write a number such as 5"}
	case n < least:
		return nil, &mistake{fmt.Sprintf("%d is less than %d", n, least), "leave the argument out for the default"}
	}
	return n, nil
}

var functionForm = regexp.MustCompile(`^[\p{L}_][\p{L}\p{Nd}_]*$`)

func parseFunction(text string) (any, *mistake) {
	if functionForm.MatchString(text) && text != "_" {
		return text, nil
	}
	return nil, &mistake{fmt.Sprintf("%q is not the name of a Go function", text), "name a function of this package, without parentheses"}
}

func parseCompanion(text string) (any, *mistake) {
	value, wrong := parseFunction(text)
	if _, name, qualified := strings.Cut(text, "."); wrong != nil && qualified && functionForm.MatchString(name) {
		wrong.fix = "name a method of the same receiver alone: " + name
	}
	return value, wrong
}

func parseTable(text string) (any, *mistake) {
	parts := strings.Split(text, ".")
	switch {
	case len(parts) > 2:
		return nil, &mistake{fmt.Sprintf("table %q has %d dots", text, len(parts)-1), "write name or schema.name; a name itself cannot contain a dot"}
	case len(parts) == 1:
		return Table{Name: parts[0]}, nil
	case parts[0] == "" || parts[1] == "":
		return nil, &mistake{fmt.Sprintf("table %q has an empty part", text), "write name or schema.name"}
	}
	return Table{Schema: parts[0], Name: parts[1]}, nil
}

func parseField(text string) (any, *mistake) {
	if strings.Contains(text, ",") {
		return nil, &mistake{fmt.Sprintf("%q names several fields", text), "name one field"}
	}
	return text, nil
}

func parseFields(text string) (any, *mistake) {
	fields := strings.Split(text, ",")
	seen := map[string]bool{}
	for i, f := range fields {
		fields[i] = strings.TrimSpace(f)
		switch f = fields[i]; {
		case f == "":
			return nil, &mistake{fmt.Sprintf("the list %q has an empty place", text), "separate the fields by single commas, without spaces"}
		case seen[f]:
			return nil, &mistake{fmt.Sprintf("the list %q names %s twice", text, f), "name each field once"}
		}
		seen[f] = true
	}
	return fields, nil
}

func parseConflict(text string) (any, *mistake) {
	if text == "nothing" {
		return OnConflict{}, nil
	}
	list, ok := strings.CutPrefix(text, "update(")
	list, closed := strings.CutSuffix(list, ")")
	switch {
	case text == "update", text == "update()":
		return nil, &mistake{"update does not say what to update", "write on_conflict=update(FieldA,FieldB)"}
	case ok && !closed:
		return nil, &mistake{fmt.Sprintf("%q has no closing parenthesis", text), "write update(FieldA,FieldB) without spaces"}
	case !ok:
		return nil, &mistake{fmt.Sprintf("unknown conflict rule %q", text), "write nothing or update(FieldA,FieldB)"}
	}
	fields, m := parseFields(list)
	if m != nil {
		return nil, m
	}
	return OnConflict{Update: fields.([]string)}, nil
}
