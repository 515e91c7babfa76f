package ledger

import (
	"time"

	"github.com/idem-go/idem/runtime"
)

// Memo is what every entry says.
const Memo = "charge for order"

// Charge asks for an entry.
type Charge struct {
	Amount int64 `json:"amount"`
	// Refused: the database refuses the first attempt's row.
	Refused bool `json:"refused,omitempty"`
	// Padding makes inputs as large as they are in a service.
	Padding string `json:"padding,omitempty"`
}

// Entry is one charge.
//
//idem:effect table=ledger
type Entry struct {
	Amount    int64
	Memo      string
	CreatedAt time.Time `db:"created_at,default:now()"`
}

// Record declares the row: it travels with the completion.
//
//idem:action record
func Record(ctx runtime.Context, in Charge) error {
	return RecordEntry(ctx, Entry{Amount: in.Amount, Memo: Memo})
}

// SlowTime is what a slow handler takes.
const SlowTime = 10 * time.Millisecond

// RecordSlowly works for some time before it declares the row.
//
//idem:action record_slowly
func RecordSlowly(ctx runtime.Context, in Charge) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(SlowTime):
	}
	return RecordEntry(ctx, Entry{Amount: in.Amount, Memo: Memo})
}

// RecordRefused is refused by a constraint of the table at the first attempt, if the input says so.
//
//idem:action record_refused backoff=10ms
func RecordRefused(ctx runtime.Context, in Charge) error {
	if in.Refused && ctx.Attempt() == 1 {
		in.Amount = -1
	}
	return RecordEntry(ctx, Entry{Amount: in.Amount, Memo: Memo})
}

const directSQL = `INSERT INTO charges (run_id, node, amount, memo) VALUES ($1::text, $2::text, $3::bigint, $4::text)
ON CONFLICT (run_id, node) DO NOTHING`

// Write uses the completion transaction itself.
//
//idem:action write
func Write(ctx runtime.Context, in Charge) error {
	_, err := ctx.CompletionTx().Exec(ctx, directSQL, ctx.RunID(), ctx.Node(), in.Amount, Memo)
	return err
}
