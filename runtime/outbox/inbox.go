package outbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/store"
)

// Inbox is the consumer's side: it remembers which commands were taken, in the transaction of what they changed. So a
// command that comes again, as commands do, changes nothing again.
type Inbox struct {
	pool     *pgxpool.Pool
	consumer string
	cfg      InboxConfig
	sql      inboxStatements
}

// InboxConfig sets an inbox up.
type InboxConfig struct {
	// Schema has the runtime's tables. Default: idem.
	Schema string
	// Retention bounds how long commands are remembered; see [Inbox.Purge].
	Retention Retention
}

// NewInbox makes the inbox of a consumer. Consumers of one database, told apart by their names, each take a command once.
// pool is for what must be kept although the consumer's transaction rolls back, and for Purge.
func NewInbox(pool *pgxpool.Pool, consumer string, cfg InboxConfig) (*Inbox, error) {
	if consumer == "" {
		return nil, errors.New("idem: an inbox needs the name of its consumer; it is part of the key and must not change")
	}
	if err := cfg.Retention.check(); err != nil {
		return nil, err
	}
	orElse(&cfg.Retention.Batch, 1000)
	if cfg.Schema == "" {
		cfg.Schema = runtime.DefaultSchema
	}
	return &Inbox{pool: pool, consumer: consumer, cfg: cfg, sql: newInboxStatements(cfg.Schema)}, nil
}

// InboxTx is the consumer's transaction: a pgx.Tx, or the completion transaction of a step.
type InboxTx interface {
	DB
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// QuarantineError says that a command came under an id that is known with another payload. It matches
// [runtime.ErrPayloadMismatch].
type QuarantineError struct {
	Consumer  string
	CommandID string
}

func (e *QuarantineError) Error() string {
	return fmt.Sprintf("%v: command %s of consumer %s is in quarantine; find out which of its payloads is right",
		runtime.ErrPayloadMismatch, e.CommandID, e.Consumer)
}

// Is matches [runtime.ErrPayloadMismatch].
func (e *QuarantineError) Is(target error) bool { return target == runtime.ErrPayloadMismatch }

// maxCommandID bounds an id, which comes from outside, in bytes.
const maxCommandID = 512

// Accept takes a command in tx, before the changes that it asks for. first tells that it was not taken before: only
// then make the changes, and commit them with tx. When it was, commit or roll back and confirm the command again. While
// another transaction is taking the same command, Accept waits for its end.
//
// The same id with another payload is a [QuarantineError]. The payload is then kept in the quarantine, whatever becomes
// of tx.
func (i *Inbox) Accept(ctx context.Context, tx InboxTx, id string, payload []byte) (first bool, err error) {
	if id == "" || len(id) > maxCommandID || strings.ContainsRune(id, 0) {
		return false, fmt.Errorf("idem: a command's id has 1 to %d bytes, this one has %d", maxCommandID, len(id))
	}
	digest := sha256.Sum256(payload)
	tag, err := tx.Exec(ctx, i.sql.insert, i.consumer, id, digest[:])
	if err != nil || tag.RowsAffected() == 1 {
		return err == nil, err
	}
	var same bool
	if err := tx.QueryRow(ctx, i.sql.same, i.consumer, id, digest[:]).Scan(&same); err != nil {
		return false, err
	}
	if same {
		return false, nil
	}
	refused := &QuarantineError{Consumer: i.consumer, CommandID: id}
	if _, err := i.pool.Exec(ctx, i.sql.quarantine, i.consumer, id, digest[:], payload); err != nil {
		return false, errors.Join(refused, err)
	}
	return false, refused
}

// Purge forgets commands that were taken longer ago than Retention.Keep, in batches, and returns their number. Without
// Keep it does nothing. What is in quarantine stays.
func (i *Inbox) Purge(ctx context.Context) (int, error) {
	if i.cfg.Retention.Keep == 0 {
		return 0, nil
	}
	batch := i.cfg.Retention.Batch
	return inBatches(batch, func() (int64, error) {
		tag, err := i.pool.Exec(ctx, i.sql.purge, i.consumer, i.cfg.Retention.Keep.Microseconds(), batch)
		return tag.RowsAffected(), err
	})
}

type inboxStatements struct{ insert, same, quarantine, purge string }

func newInboxStatements(schema string) inboxStatements {
	in := func(sql string) string { return store.In(schema, sql) }
	return inboxStatements{
		// The unique key alone decides who is first: looking before writing would let two pass.
		insert: in(`INSERT INTO "idem".inbox (consumer, command_id, digest) VALUES ($1::text, $2::text, $3::bytea)
ON CONFLICT (consumer, command_id) DO NOTHING`),
		same: in(`SELECT digest = $3::bytea FROM "idem".inbox WHERE consumer = $1::text AND command_id = $2::text`),
		quarantine: in(`INSERT INTO "idem".inbox_quarantine (consumer, command_id, digest, payload)
VALUES ($1::text, $2::text, $3::bytea, $4::bytea) ON CONFLICT DO NOTHING`),
		purge: in(`DELETE FROM "idem".inbox WHERE consumer = $1::text AND command_id = ANY (ARRAY(
    SELECT command_id FROM "idem".inbox
    WHERE consumer = $1::text AND received_at < now() - $2::bigint * interval '1 microsecond'
    ORDER BY received_at LIMIT $3::integer FOR UPDATE SKIP LOCKED))`),
	}
}
