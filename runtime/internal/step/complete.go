package step

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
)

// Direct reports whether the handler used the completion transaction itself, or it is the caller's.
func (ex *Execution) Direct() bool {
	ex.tx.mu.Lock()
	defer ex.tx.mu.Unlock()
	return ex.tx.began || ex.tx.broken != nil || ex.tx.aborted
}

// Complete sends the writes that are still kept, the host's fence, and the commit if the transaction is the execution's own:
// in one round trip. A lent transaction is then ready for its owner's commit. Where the server did not answer
// ([failure.Answered]), the outcome of a commit is not known. Whoever waits for what the step has enqueued is woken by
// NOTIFY, which comes with the owner's commit.
func (ex *Execution) Complete(ctx context.Context, fence Fence) error {
	t := &ex.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn == nil {
		if err := t.acquire(ctx); err != nil {
			return err
		}
	}
	b := &pgx.Batch{}
	writes := t.prologue(b)
	n := b.Len()
	if fence != nil {
		fence(b)
	}
	if t.lent {
		ex.queueWakes(b)
	} else {
		b.Queue("commit")
	}
	if b.Len() == 0 {
		return nil
	}
	ex.RoundTrip()
	br := t.conn.SendBatch(ctx, b)
	err := t.readPrologue(br, n, writes)
	if err == nil && fence != nil {
		tag, refused := br.Exec()
		if err = refused; err == nil && t.lent && tag.RowsAffected() == 0 {
			err = failure.ErrLeaseLost
		}
	}
	if err == nil && !t.lent {
		tag, commitErr := br.Exec()
		if err = commitErr; err == nil && tag.String() != "COMMIT" {
			err = failure.ErrTxAborted
		}
	}
	return errors.Join(err, closeResults(br, err))
}

// queueWakes queues a notification for each queue and outbox that the step has given work.
func (ex *Execution) queueWakes(b *pgx.Batch) {
	if ex.Host.Quiet {
		return
	}
	told := map[string]bool{}
	for i := range ex.pending {
		if who := ex.pending[i].Wakes; who != "" && !told[who] {
			told[who] = true
			b.Queue(ex.Host.SQL.Notify, ex.Host.SQL.Channel, who)
		}
	}
}
