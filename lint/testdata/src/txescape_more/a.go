package txescape_more

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
)

const up = `UPDATE parts SET ready = true WHERE id = $1`

type Unit struct {
	tx  runtime.Tx
	ctx context.Context
}

var last runtime.Tx

func (u *Unit) Keep(ctx runtime.Context, id int64) error {
	u.tx = ctx.CompletionTx() // want `\[txescape\]`
	u.ctx = ctx               // want `\[txescape\]`
	return nil
}

func Global(ctx runtime.Context, id int64) error {
	last = ctx.CompletionTx() // want `\[txescape\]`
	return nil
}

func Sent(ctx runtime.Context, to chan<- runtime.Tx) error {
	to <- ctx.CompletionTx() // want `\[txescape\]`
	return nil
}

func write(ctx context.Context, tx runtime.Tx, id int64) {
	_, _ = tx.Exec(ctx, up, id)
}

func Handed(ctx runtime.Context, id int64) error {
	go write(ctx, ctx.CompletionTx(), id) // want `\[txescape\]`
	return nil
}

func Group(ctx runtime.Context, id int64) error {
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = ctx.CompletionTx().Exec(ctx, up, id) // want `\[txescape\]`
	})
	wg.Wait()
	return nil
}

func Pgx(ctx context.Context, tx pgx.Tx, ids []int64) {
	for _, id := range ids {
		go func() {
			_, _ = tx.Exec(ctx, up, id) // want `\[txescape\]`
		}()
	}
}

type repo struct{ tx runtime.Tx }

func (r repo) write(ctx context.Context, id int64) error {
	_, err := r.tx.Exec(ctx, up, id)
	return err
}

// A struct that stays in the frame, and a context that only cancels.
func Local(ctx runtime.Context, id int64, fetch func(context.Context, int64) int64) error {
	r := repo{tx: ctx.CompletionTx()}
	out := make(chan int64, 1)
	go func() { out <- fetch(ctx, id) }()
	return r.write(ctx, <-out)
}

// Each goroutine has a transaction of its own.
func Own(ctx context.Context, begin func(context.Context) (pgx.Tx, error)) {
	go func() {
		tx, err := begin(ctx)
		if err != nil {
			return
		}
		_, _ = tx.Exec(ctx, up, 1)
		_ = tx.Commit(ctx)
	}()
}
