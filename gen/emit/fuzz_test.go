package emit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/kind/effect"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/kind/outbox"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// FuzzGo lets an author choose every text that reaches SQL and Go. Either it is refused, or the generated
// file parses, declares what it should and nothing else, and its strings hold the very names.
func FuzzGo(f *testing.F) {
	f.Add("charge", "ledger", "", "amount", "bigint", "1")
	f.Add("a\"b", "t`x", "s\"s", "c`d", "numeric(1,2)", "'`'")
	f.Add("x\n// y", "*/ t", "", "--", "text", "'*/'")
	f.Add("\\", "t\\", "", "\\x", "char(3)", "E'\\''")
	f.Fuzz(func(t *testing.T, node, table, schema, column, sqlType, expression string) {
		p := &model.Package{
			Path: "example.com/p", Name: "p", Names: []string{"In", "Row", "Do", "Hook"},
			Declarations: []model.Declaration{
				handler.Handler{Kind: handler.Action, Name: node, Func: "Do", In: local("In")},
				effect.Effect{
					Type: "Row", Schema: schema, Table: table, Key: []string{column}, OnConflict: effect.DoNothing,
					Columns: []model.Column{
						{Name: column, Field: "A", SQLType: sqlType, Encode: model.Plain},
						{Name: "b", Field: "B", SQLType: "text", Default: expression, Encode: model.Plain},
					},
				},
				outbox.Outbox{
					Type: "Hook", Schema: schema, Table: table + "_outbox", To: column, OrderBy: "o", Body: column,
					Columns: []model.Column{
						{Name: column, Field: "A", SQLType: "text", Encode: model.Plain, Convert: "string"},
						{Name: "o", Field: "B", SQLType: sqlType, Encode: model.Plain},
					},
				}},
		}
		source, err := emit.Go(p)
		if err != nil {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), "idem_gen.go", source, parser.ParseComments)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		if len(file.Decls) != 10 {
			t.Fatalf("%d declarations\n%s", len(file.Decls), source)
		}
		literals := stringsOf(t, file)
		for _, want := range []string{node, column, sqltext.Guard(table), sqltext.Qualified(schema, table), sqltext.Guard(table + "_outbox")} {
			if !literals[want] {
				t.Errorf("no string is %q\n%s", want, source)
			}
		}
		for literal := range literals {
			ours := strings.HasPrefix(literal, "INSERT INTO "+sqltext.Qualified(schema, table)+" AS t (") ||
				strings.HasPrefix(literal, "INSERT INTO "+sqltext.Qualified(schema, table+"_outbox")+" AS t (")
			if strings.HasPrefix(literal, "INSERT") && !ours {
				t.Errorf("the statement is %s", literal)
			}
			if strings.HasPrefix(literal, "WITH") && !strings.Contains(literal, "\nUPDATE "+sqltext.Qualified(schema, table+"_outbox")+" o SET\n") {
				t.Errorf("the claim is %s", literal)
			}
		}
	})
}

// stringsOf are the values of all string literals of a file.
func stringsOf(t *testing.T, file *ast.File) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Errorf("%s: %v", lit.Value, err)
			}
			found[value] = true
		}
		return true
	})
	return found
}
