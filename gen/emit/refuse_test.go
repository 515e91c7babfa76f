package emit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

// TestGoRefuses gives texts to emit that no stage before should let through.
func TestGoRefuses(t *testing.T) {
	at := diag.Position{File: "a.go", Line: 5, Column: 2}
	for name, c := range map[string]struct {
		change func(*model.Effect)
		says   string
	}{
		"table":   {func(e *model.Effect) { e.Table = "a\nb" }, "control character"},
		"long":    {func(e *model.Effect) { e.Table = strings.Repeat("a", 60) }, "longer than 49 bytes"},
		"schema":  {func(e *model.Effect) { e.Schema = "\x00" }, "control character"},
		"column":  {func(e *model.Effect) { e.Columns[0].Name = "" }, "empty"},
		"type":    {func(e *model.Effect) { e.Columns[0].SQLType = "text); DROP TABLE x" }, "semicolon"},
		"default": {func(e *model.Effect) { e.Columns[0].Default = "1, 2" }, "comma"},
		"columns": {func(e *model.Effect) { e.Columns = nil }, "no columns"},
	} {
		e := ledger()
		e.Pos = at
		for i := range e.Columns {
			e.Columns[i].Pos = at
		}
		c.change(&e)
		_, err := emit.Go(&model.Package{Path: "p", Name: "p", Effects: []model.Effect{e}})
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
		change func(*model.Outbox)
		says   string
	}{
		"table":  {func(o *model.Outbox) { o.Table = "a\x00b" }, "control character"},
		"long":   {func(o *model.Outbox) { o.Table = strings.Repeat("a", 49) }, "longer than 48 bytes"},
		"schema": {func(o *model.Outbox) { o.Schema = "\n" }, "control character"},
		"column": {func(o *model.Outbox) { o.Columns[0].Name = strings.Repeat("a", 64) }, "longer than 63 bytes"},
		"type":   {func(o *model.Outbox) { o.Columns[0].SQLType = "text--" }, "comment"},
	} {
		o := model.Outbox{
			Type: "Hook", Table: "hooks", Pos: at,
			Columns: []model.Column{{Name: "url", Field: "URL", SQLType: "text", Pos: at}},
		}
		c.change(&o)
		_, err := emit.Go(&model.Package{Path: "p", Name: "p", Outboxes: []model.Outbox{o}})
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
		p := &model.Package{Path: "p", Name: "p", Handlers: []model.Handler{{Kind: model.Action, Name: "n", Func: "F", In: in}}}
		if code, err := emit.Go(p); err == nil {
			t.Errorf("%s becomes\n%s", in.Expr, code)
		}
	}
}
