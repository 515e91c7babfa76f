package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime/internal/store"
)

// DefaultSchema is where the runtime's tables are unless a [Config] or [WithSchema] says otherwise.
const DefaultSchema = store.DefaultSchema

// DB is what a [Client] talks to: a *pgxpool.Pool, or anything like it.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Client enqueues runs and asks about them. It is safe for concurrent use.
type Client struct {
	db     DB
	sql    *store.Statements
	log    *slog.Logger
	notify *store.Notifier
}

// ClientOption configures a [Client].
type ClientOption func(*Client)

// WithSchema names the schema of the runtime's tables; it is [DefaultSchema] without.
func WithSchema(schema string) ClientOption {
	return func(c *Client) { c.sql = store.NewStatements(schema) }
}

// WithClientLogger sets where integrity errors are logged; slog's default without.
func WithClientLogger(log *slog.Logger) ClientOption { return func(c *Client) { c.log = log } }

// WithoutNotify enqueues without NOTIFY: workers then find steps by polling alone.
func WithoutNotify() ClientOption { return func(c *Client) { c.notify.Off = true } }

// NewClient makes a client on db. It does not connect.
func NewClient(db DB, opts ...ClientOption) *Client {
	c := &Client{db: db, sql: store.NewStatements(DefaultSchema), log: slog.Default(), notify: &store.Notifier{DB: db}}
	for _, o := range opts {
		o(c)
	}
	c.notify.SQL, c.notify.Log = c.sql, c.log
	return c
}

// Run names what was enqueued.
type Run struct {
	ID   string
	Node string
	// Duplicate: the key was enqueued before, with the same input; ID is that run.
	Duplicate bool
}

// StepStatus is what is known about a step.
type StepStatus struct {
	RunID       string
	Node        string
	Queue       string
	State       State
	Reason      Reason
	Attempt     int
	Reclaims    int
	Error       string          // of the last failed attempt
	Output      json.RawMessage // of a completed step; nil for an action
	ScheduledAt time.Time
	FinishedAt  *time.Time
}

// Status returns a run's step; [ErrNotFound] if there is none.
func (c *Client) Status(ctx context.Context, runID, node string) (StepStatus, error) {
	all, err := c.status(ctx, runID, &node)
	if err != nil {
		return StepStatus{}, err
	}
	if len(all) == 0 {
		return StepStatus{}, fmt.Errorf("%w: run %s, node %s", ErrNotFound, runID, node)
	}
	return all[0], nil
}

// Steps returns all steps of a run, in the order in which they were enqueued.
func (c *Client) Steps(ctx context.Context, runID string) ([]StepStatus, error) {
	return c.status(ctx, runID, nil)
}

func (c *Client) status(ctx context.Context, runID string, node *string) ([]StepStatus, error) {
	rows, err := c.db.Query(ctx, c.sql.Status, runID, node)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s StepStatus, err error) {
		var output []byte
		err = row.Scan(&s.RunID, &s.Node, &s.Queue, &s.State, &s.Reason, &s.Attempt, &s.Reclaims, &s.Error, &output, &s.ScheduledAt, &s.FinishedAt)
		s.Output = output
		return s, err
	})
}

// Wait returns once the run's step has ended, however it did, or with ctx's error. It polls. It is what a client calls; the
// function [Wait] is what a handler returns to be run again later.
func (c *Client) Wait(ctx context.Context, run Run) (StepStatus, error) {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		s, err := c.Status(ctx, run.ID, run.Node)
		if err != nil || s.State.Ended() {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Output waits for a step and returns its output. A step that ended without one is an error that says why.
func (s *Step[In, Out]) Output(ctx context.Context, c *Client, run Run) (out Out, err error) {
	st, err := c.Wait(ctx, run)
	if err != nil {
		return out, err
	}
	if st.State != StateCompleted {
		return out, fmt.Errorf("idem: run %s: step %s is %s (%s): %s", run.ID, run.Node, st.State, st.Reason, st.Error)
	}
	return out, json.Unmarshal(st.Output, &out)
}

// Cancel ends the steps of a run that have not ended yet; node "" means all of them. A running handler's
// context is cancelled at its worker's next heartbeat, and whatever it wrote is rolled back.
// It returns the number of steps that were cancelled.
func (c *Client) Cancel(ctx context.Context, runID, node string) (int, error) {
	tag, err := c.db.Exec(ctx, c.sql.Cancel, runID, optional(node))
	return int(tag.RowsAffected()), err
}

// Retry lets the discarded steps of a run run again; node "" means all of them. They keep their run, their
// node and so their effects' keys. It returns the number of steps.
func (c *Client) Retry(ctx context.Context, runID, node string) (int, error) {
	return c.makeDue(ctx, c.sql.Retry, runID, node)
}

// makeDue runs a statement that lets steps run now, and wakes their queues.
func (c *Client) makeDue(ctx context.Context, sql, runID, node string) (int, error) {
	rows, err := c.db.Query(ctx, sql, runID, optional(node))
	if err != nil {
		return 0, err
	}
	queues, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, err
	}
	for _, q := range queues {
		c.notify.Wake(q)
	}
	return len(queues), nil
}

// Wake lets pending steps of a run run now instead of later: after a [Wait], a backoff or a delay. node "" means all of
// them. It returns the number of steps.
func (c *Client) Wake(ctx context.Context, runID, node string) (int, error) {
	return c.makeDue(ctx, c.sql.Wake, runID, node)
}

// Verify returns [ErrSchemaVersion] where the database's schema does not serve this version. It needs no
// rights beyond using the schema.
func (c *Client) Verify(ctx context.Context) error { return store.Verify(ctx, c.db, c.sql) }

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
