package faulttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// comparison compares snapshots of the databases of one suite.
type comparison struct {
	*suite
	than string // what to call how it must be: "without the fault"
}

func (s *suite) compare(than string) *comparison { return &comparison{s, than} }

// diff describes, for people, where got is not as want; "" if nowhere.
func (c *comparison) diff(want, got snapshot) string {
	wanted, found := c.catalog.normalise(want, c.volatile), c.catalog.normalise(got, c.volatile)
	var b strings.Builder
	for _, name := range c.names(wanted, found) {
		c.table(&b, name, wanted[name], found[name])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// names returns the lists of both snapshots, tables first.
func (c *comparison) names(a, b normal) []string {
	var names []string
	for _, t := range c.catalog.tables {
		names = append(names, t.name)
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// table writes the differences of one table: rows that were added, rows that are missing, and pairs of these that
// are one row with other values.
func (c *comparison) table(b *strings.Builder, name string, want, got []normalRow) {
	missing, extra := subtract(want, got), subtract(got, want)
	changed := pair(c.key(name), &missing, &extra)
	if len(missing)+len(extra)+len(changed) == 0 {
		return
	}
	fmt.Fprintf(b, "%s: %s\n", c.title(name), c.summary(len(got)-len(want), len(changed) > 0))
	var lines []string
	for _, r := range extra {
		lines = append(lines, "+ "+c.show(name, r)+c.hint(name, r, want, got))
	}
	for _, r := range missing {
		lines = append(lines, "- "+c.show(name, r))
	}
	for _, p := range changed {
		lines = append(lines, "~ "+c.showChange(name, p))
	}
	for i, line := range lines {
		if i == mostLines {
			fmt.Fprintf(b, "  and %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// mostLines bounds what is shown of one table.
const mostLines = 10

func (c *comparison) title(name string) string {
	if name == followUps || name == outputs {
		return name
	}
	return "table " + name
}

func (c *comparison) summary(more int, changed bool) string {
	switch {
	case more > 0:
		return rowsOf(more) + " more than " + c.than
	case more < 0:
		return rowsOf(-more) + " fewer than " + c.than
	case changed:
		return "other values than " + c.than
	}
	return "other rows than " + c.than
}

func rowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// subtract returns the rows of a that are not in b, each as often as it is missing there.
func subtract(a, b []normalRow) []normalRow {
	count := map[string]int{}
	for _, r := range b {
		count[r.text]++
	}
	var left []normalRow
	for _, r := range a {
		if count[r.text]--; count[r.text] < 0 {
			left = append(left, r)
		}
	}
	return left
}

type changedRow struct{ want, got normalRow }

// pair takes rows with the same key out of missing and extra.
func pair(key func(normalRow) string, missing, extra *[]normalRow) (pairs []changedRow) {
	*extra = slices.DeleteFunc(*extra, func(e normalRow) bool {
		at := slices.IndexFunc(*missing, func(m normalRow) bool { return key(m) != "" && key(m) == key(e) })
		if at < 0 {
			return false
		}
		pairs = append(pairs, changedRow{(*missing)[at], e})
		*missing = slices.Delete(*missing, at, at+1)
		return true
	})
	return pairs
}

// key returns what tells that two rows of a table are the same one: the primary key, as far as it does not vary.
func (c *comparison) key(name string) func(normalRow) string {
	if name == outputs {
		return func(normalRow) string { return outputs }
	}
	columns := []string{"run_id", "node"} // of what was enqueued
	for _, t := range c.catalog.tables {
		if t.name == name {
			columns = t.key
		}
	}
	return func(r normalRow) string {
		var key strings.Builder
		for _, column := range columns {
			if c.volatile[name][column] {
				return ""
			}
			value, _ := r.get(column)
			key.WriteString(value + "\n")
		}
		return key.String()
	}
}

// hint says what it means that a row is there once more.
func (c *comparison) hint(name string, r normalRow, want, got []normalRow) string {
	shown := c.show(name, r)
	twin := func(o normalRow) bool { return c.show(name, o) == shown }
	switch {
	case name == outputs || !slices.ContainsFunc(want, twin):
		return ""
	case slices.ContainsFunc(got, func(o normalRow) bool { return twin(o) && c.shownKey(name, o) != c.shownKey(name, r) }):
		return "   (the same row again under another key: a second effect)"
	}
	return "   (the same row again: a second effect)"
}

// shownKey is a row's key as it is in the database.
func (c *comparison) shownKey(name string, r normalRow) string {
	for _, t := range c.catalog.tables {
		if t.name == name {
			var key []string
			for _, column := range t.key {
				value, _ := r.get(column)
				key = append(key, value)
			}
			return strings.Join(key, "\n")
		}
	}
	id, _ := r.get("run_id")
	return id
}

// show returns a row's values without those that people need not see: what varies, what is kept for the runtime.
func (c *comparison) show(name string, r normalRow) string {
	var parts []string
	for _, f := range r.row {
		if !c.hidden(name, f) {
			parts = append(parts, f.name+": "+shorten(f.value))
		}
	}
	if len(parts) == 0 { // nothing but what varies
		for _, f := range r.row {
			parts = append(parts, f.name+": "+shorten(f.value))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (c *comparison) hidden(name string, f field) bool {
	switch {
	case f.name == "payload_digest", f.name == "run_id" && (name == followUps || f.value == scalar(c.run.ID)):
		return true
	case f.name == "node" && name != followUps && f.value == scalar(c.node):
		return true
	case f.name == "queue" && name == followUps:
		return true
	}
	return c.volatile[name][f.name]
}

// showChange names the row by its key, and returns the values that differ.
func (c *comparison) showChange(name string, p changedRow) string {
	var key, changes []string
	for _, t := range c.catalog.tables {
		for _, f := range p.got.row {
			if t.name == name && slices.Contains(t.key, f.name) && !c.hidden(name, f) {
				key = append(key, f.name+": "+shorten(f.value))
			}
		}
	}
	want, got := strings.Split(p.want.text, "\n"), strings.Split(p.got.text, "\n")
	for _, line := range got {
		column, value, _ := strings.Cut(line, "=")
		if line == "" || slices.Contains(want, line) || column == "payload_digest" && len(got) > 2 {
			continue
		}
		before := "missing"
		for _, w := range want {
			if wantColumn, v, _ := strings.Cut(w, "="); wantColumn == column {
				before = v
			}
		}
		changes = append(changes, fmt.Sprintf("%s is %s, %s it is %s", column, shorten(value), c.than, shorten(before)))
	}
	if len(changes) == 0 {
		changes = append(changes, "values are missing or differ in their order")
	}
	if len(key) == 0 {
		return strings.Join(changes, "; ")
	}
	return "{" + strings.Join(key, ", ") + "}: " + strings.Join(changes, "; ")
}

// shorten keeps long values readable.
func shorten(value string) string {
	const most = 80
	if r := []rune(value); len(r) > most {
		return string(r[:most]) + "…"
	}
	return value
}
