package relay

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/pgtest"
)

// TestCommandsAreWrittenTogether: what the soak queues goes through groups, in both outboxes. Where that ends, no fault
// meets a grouped command any more.
func TestCommandsAreWrittenTogether(t *testing.T) {
	t.Parallel()
	const steps = 200
	work := pgtest.New(t, pgtest.Migrated("soak-outbox", prepare))
	seen := &inserts{whole: map[string]int{}}
	config := work.Config()
	config.ConnConfig.Tracer = seen
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()

	var ins []commands.Input
	for n := range int64(steps) {
		ins = append(ins, commands.Input{N: n, Receiver: "http://receiver"})
	}
	client := runtime.NewClient(work)
	runs, err := commands.AnnounceAction.EnqueueMany(t.Context(), client, ins, commands.Key)
	if err != nil {
		t.Fatal(err)
	}
	var groups groupCount
	registry := runtime.NewRegistry()
	commands.RegisterAnnounce(registry)
	worker, err := runtime.NewWorker(pool, registry, runtime.Config{Observer: &groups})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- worker.Run(ctx) }()
	for _, run := range runs {
		if status, err := client.Wait(ctx, run); err != nil || status.State != runtime.StateCompleted {
			t.Errorf("%+v, %v", status, err)
		}
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}

	if most := groups.most(); most < 2 {
		t.Errorf("the largest group has %d steps", most)
	}
	for table, want := range map[string]int{"notices": 3 * steps, "changes": 2 * steps} {
		var rows, distinct int
		if err := work.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT who) FROM `+table).Scan(&rows, &distinct); err != nil {
			t.Fatal(err)
		}
		if rows != want || distinct != want || seen.of(table) == 0 {
			t.Errorf("%s has %d rows of %d commands, want %d; %d statements wrote those of a group", table, rows, distinct, want, seen.of(table))
		}
	}
}

// groupCount keeps the size of the largest group.
type groupCount struct {
	mu      sync.Mutex
	largest int
}

// Observe implements [runtime.Observer].
func (g *groupCount) Observe(e runtime.Event) {
	if e.Kind != runtime.EventGroup {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.largest = max(g.largest, e.Count)
}

func (g *groupCount) most() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.largest
}

// inserts counts the statements that write the rows of many steps, by table.
type inserts struct {
	mu    sync.Mutex
	whole map[string]int
}

func (i *inserts) of(table string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.whole[table]
}

// TraceBatchQuery implements [pgx.BatchTracer].
func (i *inserts) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	into, found := strings.CutPrefix(data.SQL, `INSERT INTO "`)
	if !found || data.Err != nil || !strings.Contains(into, "FROM unnest(") {
		return
	}
	table, _, _ := strings.Cut(into, `"`)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.whole[table]++
}

// TraceBatchStart implements [pgx.BatchTracer].
func (*inserts) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchEnd implements [pgx.BatchTracer].
func (*inserts) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TraceQueryStart implements [pgx.QueryTracer].
func (*inserts) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements [pgx.QueryTracer].
func (*inserts) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
