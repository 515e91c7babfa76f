package outbox

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// purge removes finished commands in batches, each in a transaction of its own, or moves them to the archive.
func (r *Relay) purge(ctx context.Context) error {
	keep := r.cfg.Retention
	sql := r.sql.purge
	if keep.Archive != "" {
		sql = r.sql.archive
	}
	n, err := inBatches(keep.Batch, func() (int64, error) {
		tag, err := r.pool.Exec(ctx, sql, pgx.NamedArgs{"keep": keep.Keep.Microseconds(), "limit": keep.Batch})
		return tag.RowsAffected(), err
	})
	if n > 0 {
		r.observe(Event{Kind: EventPurged, Count: n})
	}
	return err
}

// inBatches repeats remove until it finds less than a batch.
func inBatches(size int, remove func() (int64, error)) (total int, err error) {
	for {
		n, err := remove()
		total += int(n)
		if err != nil || n < int64(size) {
			return total, err
		}
	}
}
