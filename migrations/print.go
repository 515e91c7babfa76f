package migrations

import (
	"fmt"
	"slices"
	"strings"
)

// PrintOptions say which SQL to print.
type PrintOptions struct {
	Version int64 // only this version; 0: all of them
	Down    bool  // what takes them back, latest first
	Goose   bool  // as one file for goose, with both directions; Down does not count then
}

// Print returns the SQL of the migrations for schema, for a tool that runs it in one transaction, such as psql with
// --single-transaction. It keeps the table of applied versions as [Up] does, so that [Status] and Up know of it.
func Print(schema string, o PrintOptions) (string, error) {
	s, err := newSchema(schema)
	if err != nil {
		return "", err
	}
	list := slices.Clone(all)
	if o.Version != 0 {
		list = slices.DeleteFunc(list, func(m migration) bool { return m.version != o.Version })
		if len(list) == 0 {
			return "", &VersionError{Version: o.Version}
		}
	}
	up, down := upSQL(list), downSQL(list)
	switch {
	case o.Goose:
		return s.render(markUp + up + "\n" + markDown + down), nil
	case o.Down:
		return s.render(plain(down)), nil
	}
	return s.render(plain(up)), nil
}

// upSQL makes what the files take for granted only before the first of them.
func upSQL(list []migration) string {
	var b strings.Builder
	if list[0].version == 1 {
		b.WriteString(createSchema + createTable)
	}
	for _, m := range list {
		fmt.Fprintf(&b, "\n-- idem %d: %s\n\n%s\n\n", m.version, m.name, m.up)
		fmt.Fprintf(&b, insertVersion, m.version)
	}
	return strings.TrimLeft(b.String(), "\n")
}

func downSQL(list []migration) string {
	var b strings.Builder
	for _, m := range slices.Backward(list) {
		fmt.Fprintf(&b, "-- idem %d: %s, back\n\n%s\n\n", m.version, m.name, m.down)
		fmt.Fprintf(&b, deleteVersion, m.version)
	}
	return b.String()
}
