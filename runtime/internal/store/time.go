package store

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Time is an argument for a time of the database's clock; the zero time is NULL.
func Time(t time.Time) pgtype.Timestamptz { return pgtype.Timestamptz{Time: t, Valid: !t.IsZero()} }

// From is an argument for the time at which a scan begins; the zero time is before all others.
func From(t time.Time) pgtype.Timestamptz {
	if t.IsZero() {
		return pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	}
	return Time(t)
}
