package slowtx_more

import (
	"context"
	"os/exec"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

const up = `UPDATE locks SET held = true WHERE id = $1`

func Bad(ctx runtime.Context, id int64, ready chan struct{}) error {
	tx := ctx.CompletionTx()
	if _, err := tx.Exec(ctx, up, id); err != nil {
		return err
	}
	var wg sync.WaitGroup
	wg.Wait()                      // want `\[slowtx\]`
	_ = exec.Command("sync").Run() // want `\[slowtx\]`
	select {                       // want `\[slowtx\]`
	case <-ready:
	case <-time.After(time.Second):
	}
	select {
	case <-ready:
	default:
	}
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	backOff() // want `\[slowtx\]`
	return nil
}

func backOff() { time.Sleep(time.Second) }

func Pool(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		time.Sleep(time.Second) // want `\[slowtx\]`
		return nil
	})
}

func Good(ctx runtime.Context, id int64) error {
	backOff()
	_, err := ctx.CompletionTx().Exec(ctx, up, id)
	return err
}
