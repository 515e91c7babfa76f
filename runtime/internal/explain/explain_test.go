package explain_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/explain"
	"github.com/idem-go/idem/runtime/pgtest"
)

func TestIndexes(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t).Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(), `CREATE TABLE points (id bigint PRIMARY KEY, x bigint, y bigint);
CREATE INDEX points_x ON points (x); INSERT INTO points SELECT i, i, i FROM generate_series(1, 10000) i; ANALYZE points`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sql, args string
		want      []string
	}{
		{"SELECT y FROM points WHERE x = $1::bigint", "7", []string{"points_x"}},
		{"SELECT y FROM points WHERE id = $1::bigint", "7", []string{"points_pkey"}},
		{"SELECT id FROM points WHERE y = $1::bigint", "7", []string{explain.TheWholeTable}},
		{"UPDATE points SET y = 0 WHERE id = (SELECT id FROM points WHERE x = 8)", "", []string{"points_pkey", "points_x"}},
		{"SELECT 1", "", nil},
	} {
		for _, mode := range []explain.Mode{explain.Custom, explain.Generic} {
			used, plan, err := explain.Indexes(t.Context(), conn, mode, "points", c.sql, c.args)
			if err != nil || !slices.Equal(used, c.want) {
				t.Errorf("%s with %s: %v, %v, want %v\n%s", c.sql, mode, used, err, c.want, plan)
			}
		}
	}
	if _, _, err := explain.Indexes(t.Context(), conn, explain.Custom, "points", "SELECT nothing FROM points", ""); err == nil {
		t.Error("a statement that cannot be planned was")
	}
}

func Example() {
	ctx := context.Background()
	server, err := pgtest.Start(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Stop() }()
	url, err := server.NewDatabase(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = conn.Close(ctx) }()
	_, _ = conn.Exec(ctx, `CREATE TABLE points (id bigint, x bigint)`)
	used, _, err := explain.Indexes(ctx, conn, explain.Generic, "points", "SELECT x FROM points WHERE id = $1::bigint", "1")
	fmt.Println(used, err)
	// Output: [the whole table] <nil>
}
