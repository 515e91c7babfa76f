package outbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/store"
)

// Operator shows the outboxes of a database to people. It needs no code that was generated for them. What people decide is
// carried out by [Replay].
type Operator struct {
	db     Queryer
	schema string
}

// NewOperator makes an operator on db, which may be a pool, a connection or a transaction. schema has the runtime's tables;
// "" is the default one.
func NewOperator(db Queryer, schema string) *Operator {
	if schema == "" {
		schema = runtime.DefaultSchema
	}
	return &Operator{db, schema}
}

// Errors of an [Operator], to be matched with errors.Is.
var (
	ErrNoOutbox = errors.New("idem: there is no such outbox")
	ErrNotFound = errors.New("idem: no such command")
)

// common are the columns that every outbox has, besides the author's.
var common = []string{
	"command_id", "run_id", "node", "payload_digest", "state", "attempts", "created_at", "first_attempt_at", "next_attempt_at",
	"claim_epoch", "claim_expires_at", "receipt", "receipt_digest", "last_error", "finished_at",
}

// sqlTables finds outboxes by what they are: they have the columns, and command_id is their key. An archive has no key. A
// name that the search path does not find comes with its schema.
const sqlTables = `SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1
JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = i.indkey[0] AND k.attname = 'command_id'
WHERE c.relkind IN ('r', 'p') AND has_table_privilege(c.oid, 'SELECT') AND (
    SELECT count(*) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname = ANY ($1::text[]) AND NOT a.attisdropped) = cardinality($1::text[])
ORDER BY 1`

// Tables returns the names of the outboxes that there are.
func (o *Operator) Tables(ctx context.Context) ([]string, error) {
	return collect(ctx, o.db, pgx.RowTo[string], sqlTables, common)
}

// tables returns those that are named, or all.
func (o *Operator) tables(ctx context.Context, named []string) ([]string, error) {
	there, err := o.Tables(ctx)
	if err != nil || len(named) == 0 {
		return there, err
	}
	for _, name := range named {
		if !slices.Contains(there, name) {
			return nil, fmt.Errorf("%w: %s; there are: %s", ErrNoOutbox, name, cmp.Or(strings.Join(there, ", "), "none"))
		}
	}
	return named, nil
}

// Status is how an outbox is.
type Status struct {
	Table  string
	Counts map[State]int
	Due    int // of the pending ones: could be sent now
	Held   int // of the pending ones: a relay has them in hand
	// Oldest is the age of the oldest command that was not sent yet; 0 without one.
	Oldest time.Duration
}

// sqlStatus counts by state. The work is for the row that is pending.
const sqlStatus = `SELECT state, count(*),
    count(*) FILTER (WHERE state = 'pending' AND next_attempt_at <= now() AND (claim_expires_at IS NULL OR claim_expires_at <= now())),
    count(*) FILTER (WHERE state = 'pending' AND claim_expires_at > now()),
    COALESCE((extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE state = 'pending')) * 1000000)::bigint, 0)
FROM "outbox" GROUP BY state`

// Status tells how the outboxes are; all of them if none is named. It counts rows, which takes a while where there are
// many: what is asked all the time is [Relay.Backlog].
func (o *Operator) Status(ctx context.Context, tables ...string) (all []Status, err error) {
	if tables, err = o.tables(ctx, tables); err != nil {
		return nil, err
	}
	for _, name := range tables {
		s := Status{Table: name, Counts: map[State]int{}}
		var state State
		var count, due, held int
		var oldest int64
		rows, err := o.db.Query(ctx, onTable(sqlStatus, name))
		if err != nil {
			return nil, err
		}
		_, err = pgx.ForEachRow(rows, []any{&state, &count, &due, &held, &oldest}, func() error {
			s.Counts[state] = count
			s.Due, s.Held, s.Oldest = s.Due+due, s.Held+held, max(s.Oldest, time.Duration(oldest)*time.Microsecond)
			return nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Entry is a command as an operator sees it, without what was to be sent and to whom: either may hold secrets.
type Entry struct {
	Table          string
	ID             string
	RunID, Node    string
	State          State
	Attempts       int
	Epoch          int64 // grows with every claim and every outcome
	Held           bool  // a relay has it in hand
	Digest         []byte
	CreatedAt      time.Time
	FirstAttemptAt *time.Time // nil: it was never sent
	NextAttemptAt  time.Time  // of a pending one
	FinishedAt     *time.Time
	ReceiptDigest  []byte
	LastError      string
}

// Filter selects commands. The zero value selects those that somebody has to look at: the dead, rejected, quarantined and
// parked ones.
type Filter struct {
	Tables []string // only in these
	IDs    []string // only these, in whatever state
	States []State  // only in these states
	All    bool     // in every state
	Limit  int      // 100 without; of each table the oldest ones
}

// troubled are the states in which a command waits for a person.
var troubled = []State{StateDead, StateRejected, StateQuarantined, StateParked}

const entryColumns = `command_id, run_id, node, state, attempts, claim_epoch, COALESCE(claim_expires_at > now(), false), payload_digest,
    created_at, first_attempt_at, next_attempt_at, finished_at, receipt_digest, COALESCE(last_error, '')`

const sqlEntries = `SELECT ` + entryColumns + ` FROM "outbox"
WHERE (COALESCE(cardinality($1::text[]), 0) = 0 OR command_id = ANY ($1::text[]))
  AND (COALESCE(cardinality($2::text[]), 0) = 0 OR state = ANY ($2::text[]))
ORDER BY created_at, command_id LIMIT $3::bigint`

// List returns commands, table by table, the oldest ones first.
func (o *Operator) List(ctx context.Context, f Filter) (all []Entry, err error) {
	tables, err := o.tables(ctx, f.Tables)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(f.Limit, 100)
	states := f.States
	switch {
	case f.All || len(states) == 0 && len(f.IDs) > 0:
		states = nil
	case len(states) == 0:
		states = troubled
	}
	for _, name := range tables {
		found, err := collect(ctx, o.db, scanEntry(name), onTable(sqlEntries, name), f.IDs, states, limit)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func scanEntry(table string) pgx.RowToFunc[Entry] {
	return func(row pgx.CollectableRow) (e Entry, err error) {
		e.Table = table
		err = row.Scan(&e.ID, &e.RunID, &e.Node, &e.State, &e.Attempts, &e.Epoch, &e.Held, &e.Digest,
			&e.CreatedAt, &e.FirstAttemptAt, &e.NextAttemptAt, &e.FinishedAt, &e.ReceiptDigest, &e.LastError)
		return e, err
	}
}

// Happening is what people did to a command by hand.
type Happening struct {
	At            time.Time
	Event         string // replayed
	Actor, Reason string
	StateBefore   State
	ErrorBefore   string
}

const sqlHappenings = `SELECT at, event, actor, reason, state_before, COALESCE(error_before, '') FROM "idem".outbox_events
WHERE command_id = $1::text ORDER BY id`

// Show returns a command, and what people did to it; [ErrNotFound] if there is none.
func (o *Operator) Show(ctx context.Context, id string) (Entry, []Happening, error) {
	found, err := o.List(ctx, Filter{IDs: []string{id}})
	switch {
	case err != nil:
		return Entry{}, nil, err
	case len(found) == 0:
		return Entry{}, nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	history, err := collect(ctx, o.db, pgx.RowToStructByPos[Happening], store.In(o.schema, sqlHappenings), id)
	return found[0], history, err
}

// Payload is what [Operator.Show] keeps back.
type Payload struct {
	Columns json.RawMessage // the author's, as a JSON object
	Receipt []byte
}

const sqlPayload = `SELECT to_jsonb(o) - $2::text[], o.receipt FROM "outbox" o WHERE o.command_id = $1::text`

// Payload returns what a command says, to whom, and what the receiver answered. It may hold personal data and secrets.
func (o *Operator) Payload(ctx context.Context, e Entry) (Payload, error) {
	all, err := collect(ctx, o.db, pgx.RowToStructByPos[Payload], onTable(sqlPayload, e.Table), e.ID, append([]string{"seq"}, common...))
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%w: %s", ErrNotFound, e.ID)
	}
	if err != nil {
		return Payload{}, err
	}
	return all[0], nil
}

func collect[T any](ctx context.Context, db Queryer, as pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, as)
}

// onTable writes SQL for a table whose name Tables has given.
func onTable(sql, table string) string {
	quoted, err := quoteTable(table)
	if err != nil { // of names that are in the catalogue nothing is refused
		return sql
	}
	return strings.ReplaceAll(sql, `"outbox"`, quoted)
}
