package shop

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime"
)

// OrderInput asks for an order. Hook is where the customer's system wants to be told.
type OrderInput struct {
	OrderID    string
	Customer   string
	TotalCents int64
	Hook       string
}

// Order is an order that was placed.
//
//idem:effect table=orders
type Order struct {
	OrderID    string
	Customer   string
	TotalCents int64
	PlacedAt   time.Time `db:"placed_at,default:now()"`
}

// OrderPlaced is what a webhook says.
type OrderPlaced struct {
	Type       string `json:"type"`
	OrderID    string `json:"order_id"`
	TotalCents int64  `json:"total_cents"`
}

// Webhook is a command to a customer's system. Those of one customer stay in their order.
//
//idem:outbox to=URL order_by=Customer
type Webhook struct {
	URL      string
	Customer string
	Body     []byte
}

// PlaceOrder books the order and queues its webhook. Both commit with the completion, or neither does.
//
//idem:action place_order timeout=10s
func PlaceOrder(ctx runtime.Context, in OrderInput) error {
	if err := RecordOrder(ctx, Order{OrderID: in.OrderID, Customer: in.Customer, TotalCents: in.TotalCents}); err != nil {
		return err
	}
	body, err := json.Marshal(OrderPlaced{Type: "order.placed", OrderID: in.OrderID, TotalCents: in.TotalCents})
	if err != nil {
		return runtime.Permanent(fmt.Errorf("webhook of order %s: %w", in.OrderID, err))
	}
	return QueueWebhook(ctx, Webhook{URL: in.Hook, Customer: in.Customer, Body: body})
}
