package faulttest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/migrations"
)

// migrate applies the folder's files, and adds the runtime's tables where they are not among them.
func migrate(ctx context.Context, pool *pgxpool.Pool, folder string) error {
	files, err := migrationFiles(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := apply(ctx, pool, upPart(string(text))); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	var there bool
	if err := pool.QueryRow(ctx, `SELECT to_regclass('idem.steps') IS NOT NULL`).Scan(&there); err != nil || there {
		return err
	}
	sql, err := migrations.Print(migrations.DefaultSchema, migrations.PrintOptions{})
	if err != nil {
		return err
	}
	return apply(ctx, pool, sql)
}

// concurrently cannot run among other statements, and makes no difference to a database that is not in use.
var concurrently = regexp.MustCompile(`(?i)\bINDEX\s+CONCURRENTLY\b`)

func apply(ctx context.Context, pool *pgxpool.Pool, sql string) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err = conn.Exec(ctx, concurrently.ReplaceAllString(sql, "INDEX"), pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	// Dumps empty the search path of their session.
	_, err = conn.Exec(ctx, `RESET ALL`)
	return err
}

// number is what the names of migrations begin with.
var number = regexp.MustCompile(`^[0-9]+`)

// migrationFiles returns the SQL files of a folder in the order in which they apply, without those that take back.
func migrationFiles(folder string) ([]string, error) {
	if folder == "" {
		return nil, nil
	}
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("the migrations folder, as seen from the test's package: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.sql"))
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".down.sql") })
	slices.SortStableFunc(files, func(a, b string) int {
		a, b = filepath.Base(a), filepath.Base(b)
		return cmp.Or(compareNumbers(number.FindString(a), number.FindString(b)), cmp.Compare(a, b))
	})
	return files, nil
}

// compareNumbers compares texts of digits, of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// down marks where the part that takes back begins, in the files of goose, sql-migrate, dbmate and tern.
var down = regexp.MustCompile(`(?im)^(--\s*\+(goose|migrate)\s+down\b|--\s*migrate:down\b|----\s*create above\s*/\s*drop below\s*----).*$`)

func upPart(text string) string {
	if at := down.FindStringIndex(text); at != nil {
		return text[:at[0]]
	}
	return text
}
