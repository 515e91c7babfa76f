package emit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/kind/effect"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/kind/outbox"
	"github.com/idem-go/idem/gen/model"
)

// TestGoRefuses gives texts to emit that no stage before should let through.
func TestGoRefuses(t *testing.T) {
	at := diag.Position{File: "a.go", Line: 5, Column: 2}
	for name, c := range map[string]struct {
		change func(*effect.Effect)
		says   string
	}{
		"table":   {func(e *effect.Effect) { e.Table = "a\nb" }, "control character"},
		"long":    {func(e *effect.Effect) { e.Table = strings.Repeat("a", 60) }, "longer than 49 bytes"},
		"schema":  {func(e *effect.Effect) { e.Schema = "\x00" }, "control character"},
		"column":  {func(e *effect.Effect) { e.Columns[0].Name = "" }, "empty"},
		"type":    {func(e *effect.Effect) { e.Columns[0].SQLType = "text); DROP TABLE x" }, "semicolon"},
		"default": {func(e *effect.Effect) { e.Columns[0].Default = "1, 2" }, "comma"},
		"columns": {func(e *effect.Effect) { e.Columns = nil }, "no columns"},
	} {
		e := ledger()
		e.Pos = at
		for i := range e.Columns {
			e.Columns[i].Pos = at
		}
		c.change(&e)
		_, err := emit.Go(&model.Package{Path: "p", Name: "p", Declarations: []model.Declaration{e}})
		list, ok := errors.AsType[diag.List](err)
		if !ok || len(list) != 1 || list[0].Pos != at || !strings.Contains(list[0].Message, c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGoRefusesOutboxes does the same for the tables of commands.
func TestGoRefusesOutboxes(t *testing.T) {
	at := diag.Position{File: "a.go", Line: 5, Column: 2}
	for name, c := range map[string]struct {
		change func(*outbox.Outbox)
		says   string
	}{
		"table":  {func(o *outbox.Outbox) { o.Table = "a\x00b" }, "control character"},
		"long":   {func(o *outbox.Outbox) { o.Table = strings.Repeat("a", 49) }, "longer than 48 bytes"},
		"schema": {func(o *outbox.Outbox) { o.Schema = "\n" }, "control character"},
		"column": {func(o *outbox.Outbox) { o.Columns[0].Name = strings.Repeat("a", 64) }, "longer than 63 bytes"},
		"type":   {func(o *outbox.Outbox) { o.Columns[0].SQLType = "text--" }, "comment"},
	} {
		o := outbox.Outbox{
			Type: "Hook", Table: "hooks", Pos: at,
			Columns: []model.Column{{Name: "url", Field: "URL", SQLType: "text", Pos: at}},
		}
		c.change(&o)
		_, err := emit.Go(&model.Package{Path: "p", Name: "p", Declarations: []model.Declaration{o}})
		list, ok := errors.AsType[diag.List](err)
		if !ok || len(list) != 1 || list[0].Pos != at || !strings.Contains(list[0].Message, c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGoRefusesBadTypes gives type expressions that are not in the model's form.
func TestGoRefusesBadTypes(t *testing.T) {
	for _, in := range []model.Type{
		{Expr: "${money.Amount"}, {Expr: "${example.com/money}.", Imports: map[string]string{"example.com/money": "money"}}, {Expr: "${example.com/money}.Amount"},
	} {
		p := &model.Package{Path: "p", Name: "p", Declarations: []model.Declaration{handler.Handler{Kind: handler.Action, Name: "n", Func: "F", In: in}}}
		if code, err := emit.Go(p); err == nil {
			t.Errorf("%s becomes\n%s", in.Expr, code)
		}
	}
}
