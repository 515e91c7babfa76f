// Package bench is what the benchmark resolves: some handlers and effects over a few imports.
package bench

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/idem-go/idem/runtime"
)

type ChargeInput struct {
	UserID      string
	AmountCents int64
	From        netip.Addr
}

type ChargeOutput struct{ ID int64 }

// Charge books one ledger row per run.
//
//idem:step charge timeout=10s max_attempts=5
func Charge(ctx runtime.Context, in ChargeInput) (ChargeOutput, error) {
	row, _, err := InsertLedgerEntry(ctx, LedgerEntry{UserID: in.UserID, AmountCents: in.AmountCents})
	return ChargeOutput{ID: row.ID}, err
}

type Notifier struct{ client *http.Client }

//idem:action notify
func (n *Notifier) Notify(ctx runtime.Context, in ChargeInput) error {
	return RecordNotice(ctx, Notice{UserID: in.UserID})
}

//idem:effect table=ledger
type LedgerEntry struct {
	ID          int64 `db:"id,identity"`
	UserID      string
	AmountCents int64
	ChargedAt   time.Time `db:"charged_at,default:now()"`
}

//idem:effect item=UserID
type Notice struct {
	UserID string
	Extra  map[string]string
}
