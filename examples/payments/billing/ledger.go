package billing

import (
	"time"

	"github.com/idem-go/idem/runtime"
)

// ChargeInput asks for a charge.
type ChargeInput struct {
	UserID      string
	AmountCents int64
}

// LedgerEntry is one charge on the ledger.
//
//idem:effect table=ledger
type LedgerEntry struct {
	UserID      string
	AmountCents int64
	ChargedAt   time.Time `db:"charged_at,default:now()"`
}

// Charge books one ledger row per run.
//
// It declares what it writes and runs no statement of its own: the row travels with the completion of the
// step, in one round trip, together with those of other steps that finish at the same time.
//
//idem:action charge timeout=2s
func Charge(ctx runtime.Context, in ChargeInput) error {
	return RecordLedgerEntry(ctx, LedgerEntry{UserID: in.UserID, AmountCents: in.AmountCents})
}
