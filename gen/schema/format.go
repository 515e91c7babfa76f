package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Format is the migration tool that a migration is written for.
type Format string

// The formats.
const (
	Plain         Format = "plain" // one SQL file, forward only
	Goose         Format = "goose"
	GolangMigrate Format = "golang-migrate"
)

// Formats are the names that the command takes.
var Formats = []Format{Goose, GolangMigrate, Plain}

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(Formats, f) {
		return f, nil
	}
	return "", fmt.Errorf("unknown migrations format %q; choose goose, golang-migrate or plain", name)
}

// File is a migration file: its name within the folder and its text.
type File struct {
	Name string
	Text string
}

// Migration writes the changes as the files of one migration. number is written as it is.
func Migration(f Format, number string, changes []Change) []File {
	stem := number + "_" + title(changes)
	switch f {
	case Goose:
		return []File{{stem + ".sql", "-- +goose Up\n" + up(changes, gooseStatement) + "\n-- +goose Down\n" + down(changes, gooseStatement)}}
	case GolangMigrate:
		return []File{{stem + ".up.sql", up(changes, plainStatement)}, {stem + ".down.sql", down(changes, plainStatement)}}
	}
	return []File{{stem + ".sql", up(changes, plainStatement)}}
}

func up(changes []Change, write func(string) string) string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		texts[i] = "-- " + strings.ReplaceAll(c.Comment, "\n", "\n-- ") + "\n" + write(c.Up) + "\n"
	}
	return strings.Join(texts, "\n")
}

func down(changes []Change, write func(string) string) string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		texts[len(changes)-1-i] = write(c.Down) + "\n"
	}
	return strings.Join(texts, "")
}

func plainStatement(sql string) string { return sql }

// gooseStatement guards a text in which goose would take a line for the end of a statement, or for a
// comment, that is part of a literal. Between the marks goose reads nothing.
func gooseStatement(sql string) string {
	for line := range strings.SplitSeq(sql, "\n") {
		if strings.Contains(line, "--") || strings.Contains(strings.TrimSuffix(line, ";"), ";") {
			return "-- +goose StatementBegin\n" + sql + "\n-- +goose StatementEnd"
		}
	}
	return sql
}

// title names a migration after its first table.
func title(changes []Change) string {
	tables := make([]string, 0, len(changes))
	for _, c := range changes {
		if !slices.Contains(tables, c.Table) {
			tables = append(tables, c.Table)
		}
	}
	name := "idem_" + fileWord(tables[0])
	if len(tables) > 1 {
		return fmt.Sprintf("%s_and_%d_more", name, len(tables)-1)
	}
	return name
}

// fileWord makes a table's name fit for a file name: small letters, digits and single underscores.
func fileWord(table string) string {
	words := strings.FieldsFunc(strings.ToLower(table), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if len(words) == 0 {
		return "table"
	}
	if last := words[len(words)-1]; last == "test" {
		words = append(words, "table") // tools pass over files called …_test
	}
	return strings.Join(words, "_")
}
