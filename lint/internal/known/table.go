package known

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/idem-go/idem/gen/diag"
)

//go:embed table.txt
var builtin string

// Entry is one line of the table.
type Entry struct {
	Kind   Kind
	Symbol string
	values map[string]string
}

// Int returns a number of the line, or otherwise when the line does not have it.
func (e *Entry) Int(key string, otherwise int) int {
	if n, err := strconv.Atoi(e.values[key]); err == nil {
		return n
	}
	return otherwise
}

// Text returns a word of the line, or "".
func (e *Entry) Text(key string) string { return e.values[key] }

// Table answers what is known of a symbol.
type Table struct {
	exact    map[string][]*Entry
	patterns []*Entry
	packages map[string]bool // that open a package for analysis
}

// Builtin is the table without extensions.
var Builtin = sync.OnceValue(func() *Table {
	t, err := (&Table{}).Extend("table.txt", builtin)
	if err != nil {
		panic(err)
	}
	return t
})

// A LineError says what is wrong with a line of a table.
type LineError struct {
	File    string
	Line    int
	Message string
}

// Error returns the place and the message.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// Extend returns a table with the lines of a text added. file names the text in errors.
func (t *Table) Extend(file, text string) (*Table, error) {
	more := &Table{exact: map[string][]*Entry{}, packages: map[string]bool{}}
	for symbol, entries := range t.exact {
		more.exact[symbol] = slices.Clip(entries)
	}
	more.patterns = slices.Clone(t.patterns)
	for path := range t.packages {
		more.packages[path] = true
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		e, err := parse(words)
		if err != nil {
			return nil, &LineError{file, number, err.Error()}
		}
		more.add(e)
	}
	return more, nil
}

func (t *Table) add(e *Entry) {
	if strings.ContainsAny(e.Symbol, "*") || strings.Contains(e.Symbol, "/...") {
		t.patterns = append(t.patterns, e)
	} else {
		t.exact[e.Symbol] = append(t.exact[e.Symbol], e)
	}
	if opening[e.Kind] {
		t.packages[packageOf(e.Symbol)] = true
	}
}

// settings are the words that a line may have behind its symbol, and whether they take a number.
var settings = map[string]bool{
	"arg": true, "len": true, "digest": true, "dest": true, "db": true, "max": true, "name": false, "form": false,
}

func parse(words []string) (*Entry, error) {
	e := &Entry{Kind: Kind(words[0]), values: map[string]string{}}
	if !slices.Contains(kinds, e.Kind) {
		return nil, fmt.Errorf("unknown kind %q%s", words[0], hint(words[0], kindNames()))
	}
	if len(words) < 2 || !strings.Contains(words[1], ".") {
		return nil, fmt.Errorf("%s needs a symbol: import/path.Type.Name", e.Kind)
	}
	e.Symbol = words[1]
	for _, w := range words[2:] {
		key, value, _ := strings.Cut(w, "=")
		isNumber, known := settings[key]
		if !known {
			return nil, fmt.Errorf("unknown setting %q%s", key, hint(key, settingNames()))
		}
		if _, err := strconv.Atoi(value); isNumber && err != nil {
			return nil, fmt.Errorf("%s=%s is no number", key, value)
		}
		e.values[key] = value
	}
	return e, nil
}

func hint(word string, known []string) string {
	if s := diag.DidYouMean(diag.Suggest(word, known)); s != "" {
		return "; " + s
	}
	return "; known are " + strings.Join(known, ", ")
}

func kindNames() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return names
}

func settingNames() []string {
	var names []string
	for name := range settings {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Find returns the line of a kind for a symbol, or nil.
func (t *Table) Find(k Kind, symbol string) *Entry {
	for _, e := range t.exact[symbol] {
		if e.Kind == k {
			return e
		}
	}
	for _, e := range t.patterns {
		if e.Kind == k && matches(e.Symbol, symbol) {
			return e
		}
	}
	return nil
}

// All returns the lines for a symbol.
func (t *Table) All(symbol string) []*Entry {
	all := slices.Clip(t.exact[symbol])
	for _, e := range t.patterns {
		if matches(e.Symbol, symbol) {
			all = append(all, e)
		}
	}
	return all
}

// Opens reports whether code that imports the package is worth a closer look.
func (t *Table) Opens(path string) bool { return t.packages[Path(path)] }

// matches compares a symbol with a pattern: "..." in the path, "*" as the name.
func matches(pattern, symbol string) bool {
	pattern, anyName := strings.CutSuffix(pattern, ".*")
	if before, after, found := strings.Cut(pattern, "/..."); found {
		rest, ok := strings.CutPrefix(symbol, before+"/")
		return ok && (anyName || strings.HasSuffix(rest, after))
	}
	rest, ok := strings.CutPrefix(symbol, pattern+".")
	return ok && anyName && !strings.Contains(rest, ".")
}

// packageOf returns the import path of a symbol.
func packageOf(symbol string) string {
	slash := strings.LastIndexByte(symbol, '/') + 1
	last := symbol[slash:]
	// A dot may be part of the path's last element: nats.go, go.uuid.
	for _, dotted := range []string{"nats.go", "go.uuid"} {
		if strings.HasPrefix(last, dotted+".") {
			return symbol[:slash] + dotted
		}
	}
	name, _, _ := strings.Cut(last, ".")
	return symbol[:slash] + name
}
