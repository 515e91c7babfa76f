package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/internal/value"
)

// EnqueueOption says when a run may start, or what makes it the same run as another.
type EnqueueOption func(*enqueued)

// WithKey makes enqueueing idempotent: the same tenant, node and key give the same run. With the same
// input the second call is a duplicate that changes nothing; with another input it is a [MismatchError].
// The run's identity follows from the key alone. tenant may be empty where there is only one.
func WithKey(tenant, key string) EnqueueOption {
	return func(e *enqueued) { e.keyed, e.tenant, e.key = true, tenant, key }
}

// WithDelay starts the run no earlier than d from now, by the database's clock.
func WithDelay(d time.Duration) EnqueueOption { return func(e *enqueued) { e.delay = d } }

// WithStartAt starts the run no earlier than t, by the database's clock.
func WithStartAt(t time.Time) EnqueueOption { return func(e *enqueued) { e.at = &t } }

// enqueued is one step on its way into the table.
type enqueued struct {
	def         *definition
	runID       string
	keyed       bool
	tenant, key string
	at          *time.Time
	delay       time.Duration
	input       []byte
}

// maxKeyBytes bounds an idempotency key and its tenant: a longer one is refused, never cut.
const maxKeyBytes = 1024

// newEnqueued takes a pointer to the input: only so does encoding/json call marshallers on pointer receivers.
func newEnqueued(def *definition, in any, opts []EnqueueOption) (*enqueued, error) {
	if err := def.validate(); err != nil {
		return nil, err
	}
	e := &enqueued{def: def}
	for _, o := range opts {
		o(e)
	}
	switch {
	case e.keyed && e.key == "":
		return nil, fmt.Errorf("idem: enqueue %s: WithKey needs a key that is not empty", def.name)
	case len(e.key) > maxKeyBytes || len(e.tenant) > maxKeyBytes:
		return nil, fmt.Errorf("idem: enqueue %s: a key and a tenant may have %d bytes; use a hash of what identifies the command", def.name, maxKeyBytes)
	case e.delay < 0:
		return nil, fmt.Errorf("idem: enqueue %s: negative delay %v", def.name, e.delay)
	}
	var err error
	e.input, err = value.EncodePayload("input", def.name, in, def.maxInput)
	return e, err
}

// identify names the run of something that is enqueued from outside a handler.
func (e *enqueued) identify() *enqueued {
	if e.keyed {
		e.runID = value.KeyedRunID(e.tenant, e.def.name, e.key)
	} else {
		e.runID = value.NewRunID()
	}
	return e
}

func (e *enqueued) args() []any {
	return []any{e.runID, e.def.name, e.def.queue, e.def.maxAttempts, e.def.maxReclaims, e.at,
		e.delay.Microseconds(), string(e.input), value.Sum(e.input)}
}

// Enqueue adds a run of the action. See [WithKey] for doing so idempotently. It fails, with nothing
// written, when the input is over its limit ([ErrPayloadTooLarge]) or cannot be stored
// ([ErrPayloadUnencodable]).
func (a *Action[In]) Enqueue(ctx context.Context, c *Client, in In, opts ...EnqueueOption) (Run, error) {
	return c.enqueue(ctx, &a.def, &in, opts)
}

// EnqueueTx adds a run of the action within the caller's transaction: it exists once that commits. An
// error of the database aborts the transaction, as any does.
func (a *Action[In]) EnqueueTx(ctx context.Context, c *Client, tx DB, in In, opts ...EnqueueOption) (Run, error) {
	return c.enqueueTx(ctx, tx, &a.def, &in, opts)
}

// EnqueueMany adds a run for each input, in one statement: all of them, or none. opts gives each input its own options, a
// key or a delay; it may be nil.
func (a *Action[In]) EnqueueMany(ctx context.Context, c *Client, ins []In, opts func(In) []EnqueueOption) ([]Run, error) {
	return enqueueMany(ctx, c, nil, &a.def, ins, opts)
}

// EnqueueManyTx is [Action.EnqueueMany] within the caller's transaction. A [MismatchError] does not say which of the runs it
// was.
func (a *Action[In]) EnqueueManyTx(ctx context.Context, c *Client, tx DB, ins []In, opts func(In) []EnqueueOption) ([]Run, error) {
	return enqueueMany(ctx, c, tx, &a.def, ins, opts)
}

// Enqueue adds a run that has the step as its first node.
func (s *Step[In, Out]) Enqueue(ctx context.Context, c *Client, in In, opts ...EnqueueOption) (Run, error) {
	return c.enqueue(ctx, &s.def, &in, opts)
}

// EnqueueTx is [Step.Enqueue] within the caller's transaction.
func (s *Step[In, Out]) EnqueueTx(ctx context.Context, c *Client, tx DB, in In, opts ...EnqueueOption) (Run, error) {
	return c.enqueueTx(ctx, tx, &s.def, &in, opts)
}

// EnqueueMany adds a run for each input, in one statement: all of them, or none. opts gives each input its own options, a
// key or a delay; it may be nil.
func (s *Step[In, Out]) EnqueueMany(ctx context.Context, c *Client, ins []In, opts func(In) []EnqueueOption) ([]Run, error) {
	return enqueueMany(ctx, c, nil, &s.def, ins, opts)
}

// EnqueueManyTx is [Step.EnqueueMany] within the caller's transaction. A [MismatchError] does not say which of the runs it
// was.
func (s *Step[In, Out]) EnqueueManyTx(ctx context.Context, c *Client, tx DB, ins []In, opts func(In) []EnqueueOption) ([]Run, error) {
	return enqueueMany(ctx, c, tx, &s.def, ins, opts)
}

func (c *Client) enqueue(ctx context.Context, def *definition, in any, opts []EnqueueOption) (Run, error) {
	return c.add(ctx, c.db, c.notify.Due, def, in, opts)
}

// enqueueTx puts no announcement off: it could come before tx has committed.
func (c *Client) enqueueTx(ctx context.Context, tx DB, def *definition, in any, opts []EnqueueOption) (Run, error) {
	return c.add(ctx, tx, func(string) bool { return !c.notify.Off }, def, in, opts)
}

// add adds a run through db, and announces it to its queue where notifies says so.
func (c *Client) add(ctx context.Context, db DB, notifies func(queue string) bool, def *definition, in any, opts []EnqueueOption) (Run, error) {
	e, err := newEnqueued(def, in, opts)
	if err != nil {
		return Run{}, err
	}
	e.identify()
	b := c.inserting(e)
	if notifies(def.queue) {
		b.Queue(c.sql.Notify, c.sql.Channel, def.queue)
	}
	br := db.SendBatch(ctx, b)
	run, err := c.inserted(e, br)
	if closeErr := br.Close(); err == nil {
		err = closeErr
	}
	return run, err
}

// inserting is the statement that adds e. Only a key makes it possible that its run is there already.
func (c *Client) inserting(e *enqueued) *pgx.Batch {
	b, sql := &pgx.Batch{}, c.sql.InsertNew
	if e.keyed {
		sql = c.sql.Insert
	}
	b.Queue(sql, e.args()...)
	return b
}

// inserted reads the answer to inserting: no row is a duplicate.
func (c *Client) inserted(e *enqueued, answers pgx.BatchResults) (Run, error) {
	run := Run{ID: e.runID, Node: e.def.name}
	tag, err := answers.Exec()
	switch {
	case failure.Guard(err, store.InputGuard):
		return Run{}, c.mismatch(run)
	case err != nil:
		return Run{}, err
	}
	run.Duplicate = tag.RowsAffected() == 0
	return run, nil
}

func (c *Client) mismatch(run Run) error {
	c.log.Error("idem: a key was enqueued again with another input; nothing was written", "run_id", run.ID, "node", run.Node)
	return &MismatchError{Table: "steps", RunID: run.ID, Node: run.Node}
}

// enqueueMany adds runs of one node, in the caller's transaction if there is one.
func enqueueMany[In any](ctx context.Context, c *Client, tx DB, def *definition, ins []In, opts func(In) []EnqueueOption) ([]Run, error) {
	batch, keyed := make([]*enqueued, 0, len(ins)), false
	for i, in := range ins {
		var own []EnqueueOption
		if opts != nil {
			own = opts(in)
		}
		e, err := newEnqueued(def, &ins[i], own)
		if err != nil {
			return nil, err
		}
		keyed = keyed || e.keyed
		batch = append(batch, e.identify())
	}
	if len(batch) == 0 {
		return nil, nil
	}
	insert, db := c.insertManyNew, c.db
	if keyed {
		insert = c.insertMany
	}
	if tx != nil {
		db = tx
	}
	runs, err := insert(ctx, db, def, batch)
	switch {
	case failure.Guard(err, store.InputGuard) && tx == nil:
		return nil, c.findMismatch(ctx, def.name, batch)
	case failure.Guard(err, store.InputGuard):
		// The transaction is aborted, and another connection must not be waited for while it holds its own.
		return nil, c.mismatch(Run{Node: def.name})
	case err != nil:
		return nil, err
	}
	if tx == nil {
		c.notify.Wake(def.queue)
	} else if !c.notify.Off { // it comes with the commit
		_, err = tx.Exec(ctx, c.sql.Notify, c.sql.Channel, def.queue)
	}
	return runs, err
}

// insertMany adds runs of which some may be there. Repetitions within the batch are duplicates too.
func (c *Client) insertMany(ctx context.Context, db DB, def *definition, batch []*enqueued) ([]Run, error) {
	runs := make([]Run, len(batch))
	first := make(map[string]int, len(batch)) // of a run, its place in batch
	cols := newInsertColumns(len(batch))
	for i, e := range batch {
		runs[i] = Run{ID: e.runID, Node: def.name, Duplicate: true}
		if at, again := first[e.runID]; again {
			if string(batch[at].input) != string(e.input) {
				return nil, c.mismatch(runs[i])
			}
			continue
		}
		first[e.runID] = i
		cols.add(e)
	}
	rows, err := db.Query(ctx, c.sql.InsertMany, cols.args(def)...)
	if err == nil {
		var runID string
		_, err = pgx.ForEachRow(rows, []any{&runID}, func() error {
			runs[first[runID]].Duplicate = false
			return nil
		})
	}
	return runs, err
}

// insertManyNew adds runs that have just got their ids.
func (c *Client) insertManyNew(ctx context.Context, db DB, def *definition, batch []*enqueued) ([]Run, error) {
	runs := make([]Run, len(batch))
	cols := newInsertColumns(len(batch))
	for i, e := range batch {
		runs[i] = Run{ID: e.runID, Node: def.name}
		cols.add(e)
	}
	_, err := db.Exec(ctx, c.sql.InsertManyNew, cols.args(def)...)
	return runs, err
}

// findMismatch names the first run of the batch whose stored input differs.
func (c *Client) findMismatch(ctx context.Context, node string, batch []*enqueued) error {
	digests := make(map[string]string, len(batch))
	ids := make([]string, 0, len(batch))
	for _, e := range batch {
		digests[e.runID] = string(value.Sum(e.input))
		ids = append(ids, e.runID)
	}
	rows, err := c.db.Query(ctx, c.sql.Digests, node, ids)
	if err != nil {
		return err
	}
	var runID string
	var digest []byte
	found := errors.Join(ErrPayloadMismatch)
	_, err = pgx.ForEachRow(rows, []any{&runID, &digest}, func() error {
		if digests[runID] != string(digest) {
			found = c.mismatch(Run{ID: runID, Node: node})
		}
		return nil
	})
	return errors.Join(found, err)
}

// insertColumns are the arrays of sqlInsertMany.
type insertColumns struct {
	runIDs  []string
	at      []*time.Time
	delays  []int64
	inputs  []string
	digests [][]byte
}

func newInsertColumns(n int) *insertColumns {
	return &insertColumns{
		runIDs: make([]string, 0, n), at: make([]*time.Time, 0, n), delays: make([]int64, 0, n),
		inputs: make([]string, 0, n), digests: make([][]byte, 0, n),
	}
}

func (c *insertColumns) add(e *enqueued) {
	c.runIDs = append(c.runIDs, e.runID)
	c.at = append(c.at, e.at)
	c.delays = append(c.delays, e.delay.Microseconds())
	c.inputs = append(c.inputs, string(e.input))
	c.digests = append(c.digests, value.Sum(e.input))
}

func (c *insertColumns) args(def *definition) []any {
	return []any{def.name, def.queue, def.maxAttempts, def.maxReclaims, c.runIDs, c.at, c.delays, c.inputs, c.digests}
}
