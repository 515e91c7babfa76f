package migrations

import (
	"context"
	"database/sql"
	"errors"

	"github.com/pressly/goose/v3/database"
)

// The table of applied versions. It is our own, not goose's default one, so that the SQL of [Print] can keep it as well.
const (
	createSchema  = `CREATE SCHEMA IF NOT EXISTS "idem";` + "\n"
	createTable   = `CREATE TABLE IF NOT EXISTS "idem".migrations (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());` + "\n"
	insertVersion = `INSERT INTO "idem".migrations (version) VALUES (%d);` + "\n"
	deleteVersion = `DELETE FROM "idem".migrations WHERE version = %d;` + "\n"
	listVersions  = `SELECT version, applied_at FROM "idem".migrations ORDER BY version DESC`
)

const schemaExists = `SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1)`

const tableExists = `SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = 'migrations')`

// store lets goose use the table of applied versions. Version 0, which goose wants to see first of all, is always there and
// needs no row.
type store struct {
	schema schema
}

var _ database.StoreExtender = store{}

func (s store) Tablename() string { return s.schema.render(`"idem".migrations`) }

func (s store) TableExists(ctx context.Context, db database.DBTxConn) (exists bool, err error) {
	err = db.QueryRowContext(ctx, tableExists, string(s.schema)).Scan(&exists)
	return exists, err
}

func (s store) CreateVersionTable(ctx context.Context, db database.DBTxConn) error {
	_, err := db.ExecContext(ctx, s.schema.render(createTable))
	return err
}

func (s store) Insert(ctx context.Context, db database.DBTxConn, req database.InsertRequest) error {
	if req.Version == 0 {
		return nil
	}
	_, err := db.ExecContext(ctx, s.schema.render(`INSERT INTO "idem".migrations (version) VALUES ($1)`), req.Version)
	return err
}

func (s store) Delete(ctx context.Context, db database.DBTxConn, version int64) error {
	_, err := db.ExecContext(ctx, s.schema.render(`DELETE FROM "idem".migrations WHERE version = $1`), version)
	return err
}

func (s store) GetMigration(ctx context.Context, db database.DBTxConn, version int64) (*database.GetMigrationResult, error) {
	if version == 0 {
		return &database.GetMigrationResult{IsApplied: true}, nil
	}
	r := database.GetMigrationResult{IsApplied: true}
	err := db.QueryRowContext(ctx, s.schema.render(`SELECT applied_at FROM "idem".migrations WHERE version = $1`), version).
		Scan(&r.Timestamp)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, database.ErrVersionNotFound
	}
	return &r, err
}

func (s store) GetLatestVersion(ctx context.Context, db database.DBTxConn) (version int64, err error) {
	err = db.QueryRowContext(ctx, s.schema.render(`SELECT coalesce(max(version), 0) FROM "idem".migrations`)).Scan(&version)
	return version, err
}

func (s store) ListMigrations(ctx context.Context, db database.DBTxConn) ([]*database.ListMigrationsResult, error) {
	rows, err := db.QueryContext(ctx, s.schema.render(`SELECT version FROM "idem".migrations ORDER BY version DESC`))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []*database.ListMigrationsResult
	for rows.Next() {
		r := database.ListMigrationsResult{IsApplied: true}
		if err := rows.Scan(&r.Version); err != nil {
			return nil, err
		}
		list = append(list, &r)
	}
	return append(list, &database.ListMigrationsResult{IsApplied: true}), rows.Err()
}
