package migrations

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// State is what a database knows of one version.
type State struct {
	Version   int64
	Name      string    // "" when a later release has applied it, which this one does not know
	AppliedAt time.Time // zero while it is pending
}

// Status lists all versions, those of this release and those that the database has beyond, in ascending order. It only
// reads, and needs no lock and no right to create anything.
func Status(ctx context.Context, pool *pgxpool.Pool, schema string) ([]State, error) {
	s, err := newSchema(schema)
	if err != nil {
		return nil, err
	}
	applied, err := appliedVersions(ctx, pool, s)
	if err != nil {
		return nil, explain(err, "status", s)
	}
	var states []State
	for _, m := range all {
		states = append(states, State{m.version, m.name, applied[m.version]})
		delete(applied, m.version)
	}
	for version, at := range applied {
		states = append(states, State{Version: version, AppliedAt: at})
	}
	slices.SortFunc(states, func(a, b State) int { return cmp.Compare(a.Version, b.Version) })
	return states, nil
}

// appliedVersions maps each applied version to when that was; none when there is no table yet.
func appliedVersions(ctx context.Context, pool *pgxpool.Pool, s schema) (map[int64]time.Time, error) {
	applied := map[int64]time.Time{}
	var exists bool
	if err := pool.QueryRow(ctx, tableExists, string(s)).Scan(&exists); err != nil || !exists {
		return applied, err
	}
	rows, err := pool.Query(ctx, s.render(listVersions))
	if err != nil {
		return nil, err
	}
	var version int64
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&version, &at}, func() error { applied[version] = at; return nil })
	return applied, err
}
