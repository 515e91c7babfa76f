package provider_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/pgtest"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// Every mode of pgx, behind a pooler as well as not, and a schema whose name needs its quotes.
func TestModesAndSchemas(t *testing.T) {
	for mode, pooler := range map[pgx.QueryExecMode]bool{
		pgx.QueryExecModeExec: true, pgx.QueryExecModeSimpleProtocol: true, pgx.QueryExecModeCacheDescribe: false,
		pgx.QueryExecModeDescribeExec: false, pgx.QueryExecModeCacheStatement: false,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			const schema = `my "schema"`
			ctx := context.Background()
			cfg := pgtest.New(t).Config()
			cfg.ConnConfig.DefaultQueryExecMode = mode
			pool := must(pgxpool.NewWithConfig(ctx, cfg))(t)
			defer pool.Close()
			must(migrations.Up(ctx, pool, schema))(t)
			b := newBench(t)
			b.pool, b.client, b.operator = pool, runtime.NewClient(pool, runtime.WithSchema(schema)), provider.NewOperator(pool, provider.WithSchema(schema))
			b.exec(testSchema)
			b.ledger.Next(ledger.Drop, ledger.Accept, ledger.Drop)
			p := b.notifies(windowed)
			provider.RegisterUndo(b.reg, p)
			wcfg := config(slog.New(slog.DiscardHandler))
			wcfg.Schema, wcfg.Pooler = schema, pooler
			w := must(runtime.NewWorker(pool, b.reg, wcfg))(t)
			working, stop := context.WithCancel(ctx)
			done := make(chan error, 1)
			go func() { done <- w.Run(working) }()
			defer func() {
				stop()
				if err := <-done; err != nil {
					t.Error(err)
				}
			}()
			b.is(b.wait(b.enqueue()), runtime.StateCompleted, "", 1, 0)
			in := b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
			res := must(b.operator.Compensate(ctx, by(in)))(t)
			b.is(b.wait(runtime.Run{ID: res.Step.RunID, Node: res.Step.Node}), runtime.StateCompleted, "", 1, 0)
			b.went(in.Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled, provider.StateCompensated)
			b.asked(4, 2)
		})
	}
}
