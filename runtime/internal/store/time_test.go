package store

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

func TestTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name      string
		got, want pgtype.Timestamptz
	}{
		{"a time", Time(at), pgtype.Timestamptz{Time: at, Valid: true}},
		{"no time", Time(time.Time{}), pgtype.Timestamptz{}},
		{"from a time", From(at), pgtype.Timestamptz{Time: at, Valid: true}},
		{"from the beginning", From(time.Time{}), pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}
