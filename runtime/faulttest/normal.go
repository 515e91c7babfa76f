package faulttest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// normal is a snapshot in which what differs from run to run is replaced: generated ids by their places, so that
// references to them can still be followed; the time, and whatever else varied between two runs without a fault,
// by a mark.
type normal map[string][]normalRow

type normalRow struct {
	row         // as it was
	text string // what is compared
}

// varies is the mark of a value that is not compared.
const varies = "*"

// volatile holds, per table, the columns whose values differ from run to run.
type volatile map[string]map[string]bool

func (v volatile) add(table, column string) {
	if v[table] == nil {
		v[table] = map[string]bool{}
	}
	v[table][column] = true
}

// list names the columns of tables, for people. Those of the output begin with its own name.
func (v volatile) list(tables []string) (names []string) {
	for _, table := range tables {
		for column := range v[table] {
			if table != outputs {
				column = table + "." + column
			}
			names = append(names, column)
		}
	}
	slices.Sort(names)
	return names
}

// volatility finds what differs between two runs without a fault: the columns of which they hold different values.
// What the database makes up by itself counts in any case.
func (c *catalog) volatility(a, b snapshot) volatile {
	v := volatile{}
	for _, t := range c.tables {
		for _, column := range t.volatile {
			v.add(t.name, column)
		}
	}
	for name := range a {
		left, right := values(a[name]), values(b[name])
		for column := range left {
			if !slices.Equal(left[column], right[column]) {
				v.add(name, column)
			}
		}
	}
	return v
}

// values returns the values of each column, sorted.
func values(rows []row) map[string][]string {
	all := map[string][]string{}
	for _, r := range rows {
		for _, f := range r {
			all[f.name] = append(all[f.name], f.value)
		}
	}
	for _, v := range all {
		slices.Sort(v)
	}
	return all
}

// normalise makes snapshots of different databases comparable.
func (c *catalog) normalise(s snapshot, v volatile) normal {
	ids := c.identify(s, v)
	n := normal{}
	for name, rows := range s {
		for _, r := range rows {
			n[name] = append(n[name], normalRow{r, r.render(v[name], ids)})
		}
		slices.SortFunc(n[name], func(a, b normalRow) int { return cmp.Compare(a.text, b.text) })
	}
	return n
}

// identify returns each generated id a name that is the same in every run: its table, and its row's place there.
func (c *catalog) identify(s snapshot, v volatile) map[string]string {
	ids := map[string]string{}
	for _, t := range c.tables {
		rows := slices.Clone(s[t.name])
		slices.SortStableFunc(rows, func(a, b row) int {
			return cmp.Compare(a.render(v[t.name], nil), b.render(v[t.name], nil))
		})
		for i, r := range rows {
			for _, column := range t.ids {
				if id, ok := r.get(column); ok && id != "null" {
					ids[id] = fmt.Sprintf("%s.%s#%d", t.name, column, i+1)
				}
			}
		}
	}
	return ids
}

func (r row) render(volatile map[string]bool, ids map[string]string) string {
	var b strings.Builder
	for _, f := range r {
		value := f.value
		if volatile[f.name] {
			if value = ids[value]; value == "" {
				value = varies
			}
		}
		fmt.Fprintf(&b, "%s=%s\n", f.name, value)
	}
	return b.String()
}
