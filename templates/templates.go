package templates

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed *.tmpl
var files embed.FS

var parsed = template.Must(template.New("").
	Funcs(template.FuncMap{"list": list}).
	ParseFS(files, "*.tmpl"))

// Render fills in the template of that file name. A missing field or file is a mistake in this module,
// which its tests find: Render panics.
func Render(name string, data any) string {
	var b strings.Builder
	if err := parsed.ExecuteTemplate(&b, name, data); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// lineWidth is where list breaks lines; listIndent is about what stands before a list.
const (
	lineWidth  = 110
	listIndent = 30
)

// list writes items with commas between them, on further lines where one would grow too long.
func list(items []string) string {
	var b strings.Builder
	column := listIndent
	for i, item := range items {
		switch {
		case i == 0:
		case column+len(item) > lineWidth:
			b.WriteString(",\n  ")
			column = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(item)
		column += len(item) + len(", ")
	}
	return b.String()
}
