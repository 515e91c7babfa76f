package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/store"
)

// DB is what an [Operator] works on: a *pgxpool.Pool, or anything like it.
type DB interface {
	runtime.DB
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Operator shows intents to people, and carries out what they decide. It needs no code of a provider.
type Operator struct {
	db     DB
	schema string
}

// OperatorOption configures an [Operator].
type OperatorOption func(*Operator)

// WithSchema names the schema of the runtime's tables; it is [runtime.DefaultSchema] without.
func WithSchema(schema string) OperatorOption { return func(o *Operator) { o.schema = schema } }

// NewOperator makes an operator on db. It does not connect.
func NewOperator(db DB, opts ...OperatorOption) *Operator {
	o := &Operator{db: db, schema: runtime.DefaultSchema}
	for _, opt := range opts {
		opt(o)
	}
	return o
}

// Filter selects intents. The zero value selects the open ones.
type Filter struct {
	All      bool  // also those whose outcome is known
	State    State // only this one
	Provider string
	RunID    string
	Limit    int // 100 without
}

const defaultLimit = 100

const sqlList = `SELECT ` + intentColumns + ` FROM "idem".intents
WHERE ($1::boolean OR state IN ('prepared', 'unknown')) AND ($2::text = '' OR state = $2::text)
  AND ($3::text = '' OR provider = $3::text) AND ($4::text = '' OR run_id = $4::text)
ORDER BY created_at, key LIMIT $5::integer`

// List returns intents, oldest first.
func (o *Operator) List(ctx context.Context, f Filter) ([]Intent, error) {
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	rows, err := o.db.Query(ctx, store.In(o.schema, sqlList), f.All || f.State != "", string(f.State), f.Provider, f.RunID, f.Limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanIntent)
}

const sqlEvents = `SELECT epoch, COALESCE(from_state, ''), to_state, dispatches, at, actor, reason
FROM "idem".intent_events WHERE key = $1::text ORDER BY epoch`

// Show returns an intent with its history; [ErrNotFound] if there is none.
func (o *Operator) Show(ctx context.Context, key string) (Intent, []Event, error) {
	in, err := loadOne(ctx, o.db, o.schema, sqlLoad, key)
	if err != nil {
		return in, nil, err
	}
	rows, err := o.db.Query(ctx, store.In(o.schema, sqlEvents), key)
	if err != nil {
		return in, nil, err
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Event, err error) {
		err = row.Scan(&e.Epoch, &e.From, &e.To, &e.Dispatches, &e.At, &e.Actor, &e.Reason)
		return e, err
	})
	return in, events, err
}

// Decision is what a person decided about an intent. It stands in its history.
type Decision struct {
	Key    string
	Epoch  int64  // of the intent that was looked at: if it has changed since, nothing is done
	Actor  string // who decided
	Reason string // and why
}

// Result is what a decision has led to.
type Result struct {
	Intent Intent
	// Woken: the step waited for this, and runs now.
	Woken bool
	// Step is what the step is now; nil if it is gone. A discarded one runs again by [runtime.Client.Retry].
	Step *runtime.StepStatus
}

// Confirm says that the call was done. Its step goes on with the receipt, which must be JSON that fits the provider's
// type. Only an unknown outcome can be confirmed. Confirming what was not done loses it.
func (o *Operator) Confirm(ctx context.Context, d Decision, receipt json.RawMessage) (Result, error) {
	if !json.Valid(receipt) || len(receipt) > maxPayload {
		return Result{}, fmt.Errorf("idem: the receipt of %s is no JSON, or larger than %d bytes; give what the provider would have answered", d.Key, maxPayload)
	}
	return o.decide(ctx, d, []State{StateUnknown}, sqlSettle, string(StateReconciled), string(receipt), d.Actor, d.Reason)
}

// Reject says that the call was definitely not done, and will not be. Its step is discarded, unless its handler makes a
// new try ([NextGeneration]): rejecting what was done can then repeat it.
func (o *Operator) Reject(ctx context.Context, d Decision) (Result, error) {
	return o.decide(ctx, d, []State{StateUnknown}, sqlSettle, string(StateRejected), nil, d.Actor, d.Reason)
}

// sqlReconcile takes back what keeps a step from finding out now.
const sqlReconcile = `UPDATE "idem".intents
SET state = 'unknown', checks = 0, not_before = NULL, quarantined = false, epoch = epoch + 1, actor = $3::text, reason = $4::text
WHERE key = $1::text AND epoch = $2::bigint`

// Reconcile lets the step find out at once, as it would by itself later: by the lookup, or by sending the same key again
// within the window. A quarantine is lifted.
func (o *Operator) Reconcile(ctx context.Context, d Decision) (Result, error) {
	return o.decide(ctx, d, []State{StatePrepared, StateUnknown}, sqlReconcile, d.Actor, d.Reason)
}

// Compensate lets a worker take the call back: one that has registered the provider's undo ([RegisterUndo]). The step
// that does it is Result.Step. Asking twice gives the same step.
func (o *Operator) Compensate(ctx context.Context, d Decision) (res Result, err error) {
	if err := d.check(); err != nil {
		return res, err
	}
	client := runtime.NewClient(o.db, runtime.WithSchema(o.schema))
	var run runtime.Run
	err = pgx.BeginFunc(ctx, o.db, func(tx pgx.Tx) error {
		if res.Intent, err = o.change(ctx, tx, d, []State{StateConfirmed, StateReconciled}, sqlRemark, d.Actor, "compensation asked for: "+d.Reason); err != nil {
			return err
		}
		if !res.Intent.Undoable {
			return fmt.Errorf("%w: %s", ErrNoUndo, res.Intent.Provider)
		}
		run, err = undoAction(res.Intent.Provider).EnqueueTx(ctx, client, tx, undoInput{d.Key}, runtime.WithKey("", d.Key))
		return err
	})
	if err != nil {
		return res, err
	}
	return o.result(ctx, client, res.Intent, run.ID, run.Node)
}

func (d Decision) check() error {
	if d.Actor == "" || d.Reason == "" {
		return errors.New("idem: a decision needs an actor and a reason: they are what remains of it")
	}
	return nil
}

// decide changes an intent that is in one of the states, and wakes its step.
func (o *Operator) decide(ctx context.Context, d Decision, from []State, sql string, args ...any) (Result, error) {
	if err := d.check(); err != nil {
		return Result{}, err
	}
	in, err := o.change(ctx, o.db, d, from, sql, args...)
	if err != nil {
		return Result{}, err
	}
	return o.result(ctx, runtime.NewClient(o.db, runtime.WithSchema(o.schema)), in, in.RunID, in.Node)
}

// change makes one fenced change.
func (o *Operator) change(ctx context.Context, db store.DB, d Decision, from []State, sql string, args ...any) (Intent, error) {
	in, err := loadOne(ctx, db, o.schema, sqlLoad, d.Key)
	if err != nil {
		return in, err
	}
	if problem := obstacle(in, d, from); problem != "" {
		return in, &StateError{Key: in.Key, State: in.State, Epoch: in.Epoch, Problem: problem}
	}
	tag, err := db.Exec(ctx, store.In(o.schema, sql), append([]any{d.Key, d.Epoch}, args...)...)
	if err != nil {
		return in, refusal(in, err)
	}
	changed := tag.RowsAffected() == 1
	if in, err = loadOne(ctx, db, o.schema, sqlLoad, d.Key); err == nil && !changed {
		err = &StateError{Key: in.Key, State: in.State, Epoch: in.Epoch, Problem: problemStale}
	}
	return in, err
}

const problemStale = "it has changed since it was looked at; look again"

// obstacle says why a decision cannot be carried out on the intent as it is.
func obstacle(in Intent, d Decision, from []State) string {
	for _, s := range from {
		if in.State == s {
			if in.Epoch != d.Epoch {
				return problemStale
			}
			return ""
		}
	}
	switch in.State {
	case StatePrepared:
		return "its call may be under way; mark it for reconciliation first"
	case StateUnknown:
		return "its outcome must be known first"
	}
	return "its outcome is known already"
}

// refusal turns the database's refusal of a transition into a StateError.
func refusal(in Intent, err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && failure.Transition(err) {
		return &StateError{Key: in.Key, State: in.State, Epoch: in.Epoch, Problem: pg.Message}
	}
	return err
}

// result wakes the step, and says what it is.
func (o *Operator) result(ctx context.Context, client *runtime.Client, in Intent, runID, node string) (Result, error) {
	res := Result{Intent: in}
	woken, err := client.Wake(ctx, runID, node)
	if err != nil {
		return res, fmt.Errorf("idem: the decision is stored; its step, which could not be woken, finds it later: %w", err)
	}
	res.Woken = woken > 0
	step, err := client.Status(ctx, runID, node)
	switch {
	case errors.Is(err, runtime.ErrNotFound):
	case err != nil:
		return res, err
	default:
		res.Step = &step
	}
	return res, nil
}
