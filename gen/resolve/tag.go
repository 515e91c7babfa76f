package resolve

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/idem-go/idem/gen/diag"
)

// columnTag is what a field's db tag says.
type columnTag struct {
	Name     string // "" for the field's own in Snake case
	Type     string // type:
	Default  string // default:
	Identity bool
	Skip     bool // db:"-"
	Present  bool
	places   map[string]int // where in the tag's value each option stands
}

// tagMistake is what is wrong in a db tag, and at which byte of its value.
type tagMistake struct {
	at           int
	message, fix string
}

var looksLikeTag = regexp.MustCompile(`(^|[\s",;])db\s*:`)

// parseTag reads the db tag out of a field's tags.
func parseTag(tags string) (columnTag, []tagMistake) {
	value, ok := reflect.StructTag(tags).Lookup("db")
	if !ok {
		if looksLikeTag.MatchString(tags) {
			return columnTag{}, []tagMistake{{-1, "the tags of the field are not well formed, so that db is not read", `write db:"name", with tags separated by spaces`}}
		}
		return columnTag{}, nil
	}
	return parseTagValue(value)
}

// parseTagValue reads name,type:…,default:…,identity. Commas in parentheses or quotes separate nothing.
func parseTagValue(value string) (columnTag, []tagMistake) {
	tag := columnTag{Present: true, places: map[string]int{}}
	if value == "-" {
		tag.Skip = true
		return tag, nil
	}
	items, err := splitTag(value)
	if err != nil {
		return tag, []tagMistake{{0, fmt.Sprintf("db tag: %v", err), "close it"}}
	}
	var wrong []tagMistake
	at := 0
	for i, item := range items {
		if i == 0 {
			tag.Name = item
		} else if m := tag.option(item, at); m != nil {
			wrong = append(wrong, *m)
		}
		at += len(item) + 1
	}
	return tag, wrong
}

var tagOptions = []string{"type", "default", "identity"}

func (tag *columnTag) option(item string, at int) *tagMistake {
	lead := len(item) - len(strings.TrimLeft(item, " "))
	at, item = at+lead, strings.TrimSpace(item)
	key, value, hasValue := strings.Cut(item, ":")
	_, repeated := tag.places[key]
	tag.places[key] = at
	value = strings.TrimSpace(value)
	switch {
	case repeated:
		return &tagMistake{at, fmt.Sprintf("db tag: %s stands twice", key), "keep one of them"}
	case key == "identity" && !hasValue:
		tag.Identity = true
	case key == "identity":
		return &tagMistake{at, "db tag: identity takes no value", "write identity alone"}
	case key == "type" && value != "":
		tag.Type = value
	case key == "default" && value != "":
		tag.Default = value
	case key == "type" || key == "default":
		return &tagMistake{at, fmt.Sprintf("db tag: %s has no value", key), fmt.Sprintf("write %s:VALUE", key)}
	default:
		fix := "known are type:, default: and identity"
		if s := diag.Suggest(key, tagOptions); s != "" {
			fix = diag.DidYouMean(s)
		}
		return &tagMistake{at, fmt.Sprintf("db tag: unknown option %q", key), fix}
	}
	return nil
}

// splitTag parts a tag's value at its commas outside parentheses, brackets and quotes.
func splitTag(value string) ([]string, error) {
	var items []string
	start, depth, quote := 0, 0, byte(0)
	for i := range len(value) {
		switch c := value[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			items, start = append(items, value[start:i]), i+1
		}
		if depth < 0 {
			return nil, errors.New("a closing bracket has no opening one")
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if depth > 0 {
		return nil, errors.New("a bracket is not closed")
	}
	return append(items, value[start:]), nil
}
