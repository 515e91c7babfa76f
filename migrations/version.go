package migrations

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Version is the latest version of the runtime's tables: the one that this release of the runtime works with.
const Version = 3

// DefaultSchema is the schema that an empty name stands for.
const DefaultSchema = "idem"

// placeholder stands for the schema in the SQL files, wherever it is needed.
const placeholder = `"` + DefaultSchema + `"`

//go:embed *.sql
var files embed.FS

// migration is one file, in the form of goose: a part for each direction, with lines that mark where statements with
// semicolons inside begin and end.
type migration struct {
	version  int64
	name     string
	up, down string
}

var all = load()

// load reads the embedded files. They are part of the program, so a fault in one is found by any test.
func load() []migration {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	var list []migration
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		list = append(list, parse(e.Name(), string(text)))
	}
	slices.SortFunc(list, func(a, b migration) int { return cmp.Compare(a.version, b.version) })
	return list
}

const (
	markUp    = "-- +goose Up\n"
	markDown  = "-- +goose Down\n"
	markBegin = "-- +goose StatementBegin\n"
	markEnd   = "-- +goose StatementEnd\n"
)

func parse(file, text string) migration {
	number, name, _ := strings.Cut(strings.TrimSuffix(file, path.Ext(file)), "_")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("migrations: %s: a name begins with the version", file))
	}
	_, body, hasUp := strings.Cut(text, markUp)
	up, down, hasDown := strings.Cut(body, markDown)
	if !hasUp || !hasDown {
		panic(fmt.Sprintf("migrations: %s: a file has both directions", file))
	}
	return migration{version, name, strings.TrimSpace(up), strings.TrimSpace(down)}
}

// plain is a part without goose's marks.
func plain(part string) string {
	return strings.NewReplacer(markBegin, "", markEnd, "").Replace(part + "\n")
}

// schema is the name of a schema that can be put into SQL.
type schema string

// maxName is how long Postgres lets a name be, in bytes.
const maxName = 63

func newSchema(name string) (schema, error) {
	switch {
	case name == "":
		return DefaultSchema, nil
	case len(name) > maxName:
		return "", &SchemaError{Schema: name, Reason: fmt.Sprintf("it is longer than the %d bytes that Postgres keeps", maxName)}
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }):
		return "", &SchemaError{Schema: name, Reason: "it holds control characters or is not UTF-8"}
	case strings.ContainsAny(name, "'$"):
		// Function bodies are string constants, inside of which the name stands too.
		return "", &SchemaError{Schema: name, Reason: "quotes (') and dollar signs are not supported"}
	case strings.HasPrefix(name, "pg_"):
		return "", &SchemaError{Schema: name, Reason: "names that begin with pg_ are reserved by Postgres"}
	}
	return schema(name), nil
}

// render writes the SQL of the files for this schema.
func (s schema) render(sql string) string { return strings.ReplaceAll(sql, placeholder, s.quoted()) }

func (s schema) quoted() string { return pgx.Identifier{string(s)}.Sanitize() }
