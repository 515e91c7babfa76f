package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Tx is the completion transaction: what a handler writes through it commits with the step's change to
// completed, or not at all. It has no Begin, Commit or Rollback on purpose, and refuses their SQL
// ([ErrTxControl]); savepoints are allowed. It satisfies the DBTX interface that sqlc generates for
// pgx/v5.
type Tx interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error)
}

// completionTx is a transaction that begins with its first statement: BEGIN and the writes that were
// kept until then travel in front of it, in the same round trip.
type completionTx struct {
	ex *execution

	mu      sync.Mutex    // held during a statement
	conn    *pgxpool.Conn // nil before the first statement and after the release
	began   bool          // BEGIN was sent, whatever became of it
	open    openResult    // the last result, perhaps unread
	aborted bool          // a statement failed before the server was inside the transaction
	broken  error         // the connection died

	socketMu sync.Mutex     // held for a moment, never during a statement
	socket   *pgconn.PgConn // conn's, for [completionTx.kill]; nil without one
}

func (t *completionTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, err := t.admit(ctx, sql, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	if t.prologueLen() == 0 || !a.batchable {
		if err := t.precede(ctx, a); err != nil {
			return pgconn.CommandTag{}, err
		}
		t.ex.roundTrip()
		tag, err := t.conn.Exec(ctx, sql, args...)
		return tag, t.after(err)
	}
	br, err := t.sendBehindPrologue(ctx, sql, args)
	if err != nil {
		return pgconn.CommandTag{}, t.after(err)
	}
	tag, err := br.Exec()
	return tag, t.after(errors.Join(err, closeResults(br, err)))
}

func (t *completionTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.query(ctx, true, sql, args)
}

func (t *completionTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.queryRow(ctx, true, sql, args)
}

// queryRow runs a statement of which one row is read. Foreign SQL is checked for transaction control.
func (t *completionTx) queryRow(ctx context.Context, foreign bool, sql string, args []any) pgx.Row {
	rows, err := t.query(ctx, foreign, sql, args)
	return &firstRow{rows, err}
}

func (t *completionTx) query(ctx context.Context, foreign bool, sql string, args []any) (pgx.Rows, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := admission{batchable: true}
	var err error
	if foreign {
		a, err = t.admit(ctx, sql, args)
	} else {
		err = t.enter(ctx)
	}
	if err != nil {
		return nil, err
	}
	if t.prologueLen() == 0 || !a.batchable {
		if err := t.precede(ctx, a); err != nil {
			return nil, err
		}
		t.ex.roundTrip()
		rows, err := t.conn.Query(ctx, sql, args...)
		if err != nil {
			return rows, t.after(err)
		}
		return t.track(rows, nil), nil
	}
	br, err := t.sendBehindPrologue(ctx, sql, args)
	if err != nil {
		return nil, t.after(err)
	}
	rows, err := br.Query()
	if err != nil {
		return nil, t.after(errors.Join(err, closeResults(br, err)))
	}
	return t.track(rows, br), nil
}

func (t *completionTx) track(rows pgx.Rows, br pgx.BatchResults) pgx.Rows {
	r := &trackedRows{Rows: rows, br: br}
	t.open = r
	return r
}

func (t *completionTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all admission
	for _, q := range b.QueuedQueries {
		a, err := t.admit(ctx, q.SQL, q.Arguments)
		if err != nil {
			return failedBatch{err}
		}
		all.rewinds = all.rewinds || a.rewinds
	}
	if err := t.enter(ctx); err != nil {
		return failedBatch{err}
	}
	if err := t.precede(ctx, all); err != nil {
		return failedBatch{err}
	}
	t.ex.roundTrip()
	br := &trackedBatch{BatchResults: t.conn.SendBatch(ctx, b)}
	t.open = br
	return br
}

func (t *completionTx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.enter(ctx); err != nil {
		return 0, err
	}
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	t.ex.roundTrip()
	n, err := t.conn.CopyFrom(ctx, table, columns, src)
	return n, t.after(err)
}

// admission is how the author's SQL is to be sent.
type admission struct {
	batchable bool // behind others in one batch: a single statement without pgx's options among its arguments
	rewinds   bool // it goes back to a savepoint
}

// admit enters the transaction and checks the author's SQL.
func (t *completionTx) admit(ctx context.Context, sql string, args []any) (admission, error) {
	if err := t.enter(ctx); err != nil {
		return admission{}, err
	}
	found := scanStatements(sql, t.conn.Conn().PgConn().ParameterStatus("standard_conforming_strings") == "off")
	if found.control != "" {
		err := fmt.Errorf("%w (it sent %s)", ErrTxControl, found.control)
		t.ex.refuse(err)
		return admission{}, err
	}
	a := admission{batchable: found.count == 1 && !found.rewinds, rewinds: found.rewinds}
	if len(args) > 0 {
		switch args[0].(type) {
		case pgx.QueryExecMode, pgx.QueryResultFormats, pgx.QueryResultFormatsByOID:
			a.batchable = false
		}
	}
	return a, nil
}

// precede runs what has to run before a statement. Nothing goes before the way back to a savepoint: the
// transaction may be aborted. After it all kept writes are sent again, as it may have undone some; those that
// it has not undone change nothing the second time.
func (t *completionTx) precede(ctx context.Context, a admission) error {
	if a.rewinds && t.began {
		t.ex.flushAgain()
		return nil
	}
	return t.flush(ctx)
}

// enter makes sure that the attempt lives and that there is a connection.
func (t *completionTx) enter(ctx context.Context) error {
	if err := t.ex.alive(); err != nil {
		return t.ex.refuseLate(err)
	}
	switch {
	case t.broken != nil:
		return fmt.Errorf("idem: the completion transaction's connection is lost: %w", t.broken)
	case t.aborted:
		return ErrTxAborted
	case t.conn != nil:
		return nil
	}
	conn, err := t.ex.w.handlers.Acquire(ctx)
	if err != nil {
		t.broken = err
		return fmt.Errorf("idem: no connection for the completion transaction: %w", err)
	}
	t.conn = conn
	t.setSocket(conn.Conn().PgConn())
	// The attempt may have been ended while the connection was being made.
	return t.ex.alive()
}

func (t *completionTx) prologueLen() int {
	n := len(t.ex.unflushed())
	if !t.began {
		n++
	}
	return n
}

// prologue queues what has to run before the next statement.
func (t *completionTx) prologue(b *pgx.Batch) []pendingWrite {
	if !t.began {
		b.Queue("begin")
		if timeout := t.ex.w.pooledIdleTimeout(); timeout != "" {
			b.Queue("select set_config('idle_in_transaction_session_timeout', $1, true)", timeout)
		}
		t.began = true
	}
	writes := t.ex.takeUnflushed()
	for i := range writes {
		writes[i].queue(b)
	}
	return writes
}

// flush runs the prologue by itself.
func (t *completionTx) flush(ctx context.Context) error {
	if t.prologueLen() == 0 {
		return nil
	}
	b := &pgx.Batch{}
	writes := t.prologue(b)
	t.ex.roundTrip()
	br := t.conn.SendBatch(ctx, b)
	err := t.readPrologue(br, b.Len(), writes)
	return t.after(errors.Join(err, closeResults(br, err)))
}

// sendBehindPrologue sends the prologue and the statement together, and reads the prologue's results.
func (t *completionTx) sendBehindPrologue(ctx context.Context, sql string, args []any) (pgx.BatchResults, error) {
	b := &pgx.Batch{}
	writes := t.prologue(b)
	n := b.Len()
	b.Queue(sql, args...)
	t.ex.roundTrip()
	br := t.conn.SendBatch(ctx, b)
	if err := t.readPrologue(br, n, writes); err != nil {
		return nil, errors.Join(err, closeResults(br, err))
	}
	return br, nil
}

func (t *completionTx) readPrologue(br pgx.BatchResults, n int, writes []pendingWrite) error {
	for i := range n {
		if _, err := br.Exec(); err != nil {
			if w := i - (n - len(writes)); w >= 0 {
				return writes[w].explain(t.ex, err)
			}
			return err
		}
	}
	return nil
}

// after looks at the connection once a statement is through, and says what its error means.
func (t *completionTx) after(err error) error {
	if t.conn == nil {
		return err
	}
	pc := t.conn.Conn().PgConn()
	switch {
	case pc.IsClosed():
		t.broken = cmp.Or(err, errConnectionLost)
	case err != nil && pc.TxStatus() == 'I':
		t.aborted = true
	}
	if err != nil {
		if ended := t.ex.alive(); ended != nil {
			return errors.Join(ended, err)
		}
	}
	return err
}

// returned looks at the transaction when the handler comes back. That is before the attempt ends, and with it
// the handler's context: what is still being read under it can be read to its end, until the timeout.
func (t *completionTx) returned(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn == nil || t.broken != nil {
		return
	}
	var unread error
	if t.open != nil {
		if err == nil {
			t.open.finish()
		}
		unread = t.open.failure()
	}
	if t.conn.Conn().IsClosed() {
		t.broken = cmp.Or(err, unread, errConnectionLost)
	}
}

var errConnectionLost = errors.New("idem: the connection of the completion transaction is lost")

// verdict says whether the transaction can complete the step: nil, or why not.
func (t *completionTx) verdict() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.broken != nil && ownDoing(t.broken):
		return fmt.Errorf("%w (%w)", ErrTxAborted, t.broken)
	case t.broken != nil:
		return &interruptedError{t.broken}
	case t.aborted:
		return ErrTxAborted
	case !t.began:
		return nil
	}
	pc := t.conn.Conn().PgConn()
	switch {
	case pc.IsClosed():
		return &interruptedError{errConnectionLost}
	case pc.TxStatus() == 'E':
		return ErrTxAborted
	case pc.TxStatus() != 'T':
		return ErrTxControl
	}
	return nil
}

// kill ends the transaction from outside, also while a statement of it is running.
func (t *completionTx) kill() {
	locked := t.mu.TryLock()
	if locked && (t.open == nil || t.open.finished()) {
		t.releaseLocked()
		t.mu.Unlock()
		return
	}
	// The handler is inside a statement, or reads a result. Closing the socket wakes it up.
	cut := t.cutSocket()
	if !locked {
		t.mu.Lock()
	}
	if cut == nil {
		t.releaseLocked() // it was only waiting for a connection
	} else {
		t.detach()
	}
	t.mu.Unlock()
	if cut != nil {
		// The server need not finish what nobody waits for.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = cut.CancelRequest(ctx)
	}
}

// detach takes the connection out of the pool: its handler may never come back to close what it has open, and
// must not keep the connection's place, nor the worker from ending.
func (t *completionTx) detach() {
	if t.conn == nil {
		return
	}
	t.conn.Hijack()
	t.conn = nil
	t.broken = cmp.Or(t.broken, ErrAttemptEnded)
}

func (t *completionTx) setSocket(pc *pgconn.PgConn) {
	t.socketMu.Lock()
	defer t.socketMu.Unlock()
	t.socket = pc
}

// cutSocket closes the socket, unless the connection has gone back to the pool, where it may be somebody
// else's by now.
func (t *completionTx) cutSocket() *pgconn.PgConn {
	t.socketMu.Lock()
	defer t.socketMu.Unlock()
	pc := t.socket
	if pc != nil {
		closeSocket(pc.Conn())
		t.socket = nil
	}
	return pc
}

func closeSocket(c net.Conn) {
	if c != nil {
		_ = c.Close()
	}
}

// release gives the connection back. The pool destroys one that is not idle, which rolls back.
func (t *completionTx) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.releaseLocked()
}

func (t *completionTx) releaseLocked() {
	if t.conn == nil {
		return
	}
	t.closeOpen()
	conn := t.conn
	t.conn = nil
	t.setSocket(nil)
	if t.broken == nil && t.began {
		t.broken = ErrAttemptEnded
	}
	rollbackAndRelease(conn)
}

// closeOpen reads a result that the handler left unread to its end.
func (t *completionTx) closeOpen() {
	if t.open != nil && !t.open.finished() {
		t.open.finish()
	}
	t.open = nil
}

// rollbackAndRelease rolls an open transaction back with a round trip when the connection is usable, since a
// connection costs more than that, and lets the pool destroy it otherwise.
func rollbackAndRelease(conn *pgxpool.Conn) {
	pc := conn.Conn().PgConn()
	if !pc.IsClosed() && !pc.IsBusy() && pc.TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		_, _ = conn.Exec(ctx, "rollback")
		cancel()
	}
	conn.Release()
}

// firstRow reads one row, as pgx's own QueryRow does.
type firstRow struct {
	rows pgx.Rows
	err  error
}

func (r *firstRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// openResult is a result that may still be being read by the handler, on the transaction's connection.
type openResult interface {
	finish()
	finished() bool
	failure() error // what went wrong while it was read
}

// trackedRows are rows that know when they have been read, and close the batch that they came with.
type trackedRows struct {
	pgx.Rows
	br   pgx.BatchResults // nil: the rows came alone
	err  error
	done atomic.Bool
}

func (r *trackedRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

func (r *trackedRows) Close() {
	if r.done.Load() {
		return
	}
	r.Rows.Close()
	if r.br != nil {
		r.err = r.br.Close()
	}
	r.done.Store(true)
}

func (r *trackedRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

func (r *trackedRows) finish()        { r.Close() }
func (r *trackedRows) failure() error { return r.Err() }
func (r *trackedRows) finished() bool { return r.done.Load() }

// trackedBatch are batch results that know when they have been closed.
type trackedBatch struct {
	pgx.BatchResults
	err  error
	done atomic.Bool
}

func (b *trackedBatch) Close() error {
	if !b.done.Load() {
		b.err = b.BatchResults.Close()
		b.done.Store(true)
	}
	return b.err
}

func (b *trackedBatch) finish()        { _ = b.Close() }
func (b *trackedBatch) failure() error { return b.err }
func (b *trackedBatch) finished() bool { return b.done.Load() }

// failedBatch answers every call of a batch that was never sent.
type failedBatch struct{ err error }

func (f failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, f.err }
func (f failedBatch) Query() (pgx.Rows, error)         { return nil, f.err }
func (f failedBatch) QueryRow() pgx.Row                { return &firstRow{err: f.err} }
func (f failedBatch) Close() error                     { return f.err }
func (f failedBatch) Tx() pgx.Tx                       { return nil }

// closeResults closes br; the error of closing counts only where there was none before.
func closeResults(br pgx.BatchResults, before error) error {
	err := br.Close()
	if before != nil {
		return nil
	}
	return err
}
