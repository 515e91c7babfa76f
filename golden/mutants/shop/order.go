package shop

// Order is what the handlers are run with.
type Order struct {
	TenantID string
	OrderID  string
	Cents    int64
}

// Key is the order's, of all orders of all tenants.
func (o Order) Key() string { return o.TenantID + "/" + o.OrderID }

// Sample is an order to try the handlers with.
var Sample = Order{TenantID: "TenantID", OrderID: "OrderID", Cents: 100}

// Payment is the payment of an order: one per run.
//
//idem:effect table=payments
type Payment struct {
	OrderID string
	Cents   int64
}

// Line is a part of an order: one per run and name.
//
//idem:effect table=lines item=Name
type Line struct {
	Name  string
	Cents int64
}

// Invoice is the invoice of an order, whoever asks for it.
//
//idem:effect table=invoices key=OrderID
type Invoice struct {
	ID      int64 `db:"id,identity"`
	OrderID string
	Cents   int64
}
