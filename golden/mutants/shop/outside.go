package shop

import (
	"context"
	"errors"

	"github.com/idem-go/idem/runtime/provider"
)

// CardCharge asks for money.
type CardCharge struct {
	Order string
	Cents int64
}

// CardReceipt is what the bank answers.
type CardReceipt struct{ ID string }

// errNoBank shows that a test reached for the bank itself.
var errNoBank = provider.Rejected(errors.New("there is no bank"))

// ChargeCard charges a card.
//
//idem:provider charge_card window=24h undo=RefundCard
func ChargeCard(context.Context, string, CardCharge) (CardReceipt, error) {
	return CardReceipt{}, errNoBank
}

// RefundCard takes a charge back.
func RefundCard(context.Context, string, CardReceipt) error { return errNoBank }

// Notice tells a customer of something.
//
//idem:outbox table=notices to=Customer item=About
type Notice struct {
	Customer string
	About    string
	Text     []byte
}
