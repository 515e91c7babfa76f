package emit_test

import (
	"time"

	"github.com/idem-go/idem/gen/kind/effect"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/model"
)

// The models that the tests of this package are about.

func local(expr string) model.Type { return model.Type{Expr: expr} }

func payments() *model.Package {
	out := local("InvoiceOutput")
	return &model.Package{
		Path: "example.com/shop/payments", Name: "payments", Dir: "/shop/payments",
		Names: []string{"Billing", "Charge", "ChargeInput", "InvoiceInput", "InvoiceOutput", "LedgerEntry"},
		Declarations: []model.Declaration{
			handler.Handler{
				Kind: handler.Action, Name: "charge", Func: "Charge", In: local("ChargeInput"),
				Limits: handler.Limits{Timeout: 10 * time.Second},
			},
			handler.Handler{
				Kind: handler.Step, Name: "finalize_invoice", Func: "Finalize",
				Recv: &model.Recv{Type: "Billing", Pointer: true}, In: local("InvoiceInput"), Out: &out,
			},
			ledger(),
		},
	}
}

// wide has a column for each way in which a value crosses to Postgres.
func wide() *model.Package {
	column := func(name, field, sqlType string, e model.Encoding) model.Column {
		return model.Column{Name: name, Field: field, SQLType: sqlType, Encode: e}
	}
	pointer := func(c model.Column) model.Column {
		c.Pointer, c.Nullable = true, true
		return c
	}
	defaulted := func(c model.Column, expression string) model.Column {
		c.Default = expression
		return c
	}
	converted := func(c model.Column, goType string) model.Column {
		c.Convert = goType
		return c
	}
	id := column("id", "ID", "bigint", model.Plain)
	id.Identity = true
	columns := []model.Column{
		id,
		column("order_id", "OrderID", "uuid", model.UUID),
		pointer(column("parent_id", "ParentID", "uuid", model.UUID)),
		defaulted(column("token", "Token", "uuid", model.UUID), "gen_random_uuid()"),
		column("big", "Big", "numeric(20,0)", model.Uint64),
		pointer(column("maybe_big", "MaybeBig", "numeric(20,0)", model.Uint64)),
		column("price", "Price", "numeric(12,2)", model.Text),
		pointer(column("discount", "Discount", "numeric(12,2)", model.Text)),
		defaulted(column("fee", "Fee", "numeric(12,2)", model.Text), "0"),
		column("meta", "Meta", "jsonb", model.JSON),
		defaulted(pointer(column("tags", "Tags", "jsonb", model.JSON)), "'{}'::jsonb"),
		converted(column("wait", "Wait", "bigint", model.Plain), "int64"),
		converted(pointer(column("max_wait", "MaxWait", "bigint", model.Plain)), "int64"),
		converted(defaulted(column("state", "State", "varchar(20)", model.Plain), "'new'"), "string"),
		column("city", "Address.City", "text", model.Plain),
		column("back`tick", "Odd", "char(3)", model.Plain),
	}
	orders := effect.Effect{
		Type: "Order", Schema: "shop", Table: "orders", Key: []string{"order_id"}, OnConflict: effect.DoUpdate,
		UpdateColumns: []string{"price", "state"}, Columns: columns,
	}
	line := effect.Effect{
		Type: "line", Table: "lines", Item: "sku", OnConflict: effect.DoNothing,
		Columns: []model.Column{column("sku", "SKU", "text", model.Plain), column("n", "N", "integer", model.Plain)},
	}
	return &model.Package{
		Path: "example.com/shop/orders", Name: "orders", Names: []string{"Order", "line"},
		Declarations: []model.Declaration{orders, line},
	}
}

func ledger() effect.Effect {
	return effect.Effect{
		Type: "LedgerEntry", Table: "ledger", OnConflict: effect.DoNothing,
		Columns: []model.Column{
			{Name: "user_id", Field: "UserID", SQLType: "text", Encode: model.Plain},
			{Name: "amount_cents", Field: "AmountCents", SQLType: "bigint", Encode: model.Plain},
			{Name: "charged_at", Field: "ChargedAt", SQLType: "timestamptz", Default: "now()", Encode: model.Plain},
		},
	}
}
