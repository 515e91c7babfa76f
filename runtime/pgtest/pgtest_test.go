package pgtest_test

import (
	"context"
	"testing"

	"github.com/idem-go/idem/runtime/pgtest"
)

func TestNew(t *testing.T) {
	pool := pgtest.New(t)
	var n int
	if err := pool.QueryRow(context.Background(), "select 41 + 1").Scan(&n); err != nil || n != 42 {
		t.Fatal(n, err)
	}
}
