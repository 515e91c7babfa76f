package step

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/failure"
)

// Tx is a completion transaction. One of the execution's own begins with its first statement: BEGIN and the writes that were
// kept until then travel in front of it, in the same round trip. One that the caller lent has begun already, and is the
// caller's to end. Handlers have it: all of its methods are theirs.
type Tx struct {
	ex *Execution

	mu      sync.Mutex    // held during a statement
	conn    *pgx.Conn     // nil before the first statement and after the release
	pooled  *pgxpool.Conn // conn as the pool gave it; nil where it is lent
	lent    bool          // the caller's
	began   bool          // BEGIN was sent, whatever became of it
	open    openResult    // the last result, perhaps unread
	aborted bool          // a statement failed before the server was inside the transaction
	missing error         // a statement failed that the server has not refused, or not seen
	broken  error         // the connection died

	socketMu sync.Mutex     // held for a moment, never during a statement
	socket   *pgconn.PgConn // conn's, for [Tx.kill]; nil without one
}

// Exec runs a statement.
func (t *Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
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
		t.ex.RoundTrip()
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

// Query runs a statement whose rows are read.
func (t *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.query(ctx, true, sql, args)
}

// QueryRow runs a statement of which one row is read.
func (t *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := t.query(ctx, true, sql, args)
	return &firstRow{rows, err}
}

// Generated runs a statement of generated code in the completion transaction, of which one row is read. It needs no check for
// transaction control.
func (ex *Execution) Generated(ctx context.Context, sql string, args []any) pgx.Row {
	rows, err := ex.tx.query(ctx, false, sql, args)
	return &firstRow{rows, err}
}

func (t *Tx) query(ctx context.Context, foreign bool, sql string, args []any) (pgx.Rows, error) {
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
		t.ex.RoundTrip()
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

func (t *Tx) track(rows pgx.Rows, br pgx.BatchResults) pgx.Rows {
	r := &trackedRows{Rows: rows, br: br}
	t.open = r
	return r
}

// SendBatch runs statements in one round trip.
func (t *Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
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
	t.ex.RoundTrip()
	br := &trackedBatch{BatchResults: t.conn.SendBatch(ctx, b)}
	t.open = br
	return br
}

// CopyFrom copies rows into a table.
func (t *Tx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.enter(ctx); err != nil {
		return 0, err
	}
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	t.ex.RoundTrip()
	n, err := t.conn.CopyFrom(ctx, table, columns, src)
	return n, t.after(err)
}

// admission is how the author's SQL is to be sent.
type admission struct {
	batchable bool // behind others in one batch: a single statement without pgx's options among its arguments
	rewinds   bool // it goes back to a savepoint
}

// admit enters the transaction and checks the author's SQL.
func (t *Tx) admit(ctx context.Context, sql string, args []any) (admission, error) {
	if err := t.enter(ctx); err != nil {
		return admission{}, err
	}
	found := scanStatements(sql, t.conn.PgConn().ParameterStatus("standard_conforming_strings") == "off")
	if found.control != "" {
		err := fmt.Errorf("%w (it sent %s)", failure.ErrTxControl, found.control)
		t.ex.Refuse(err)
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
func (t *Tx) precede(ctx context.Context, a admission) error {
	if a.rewinds && t.began {
		t.look()
		t.missing = nil // it is gone back from
		t.ex.flushAgain()
		return nil
	}
	return t.flush(ctx)
}

// enter makes sure that the attempt lives and that there is a connection.
func (t *Tx) enter(ctx context.Context) error {
	if err := t.ex.Alive(); err != nil {
		return err
	}
	switch {
	case t.broken != nil:
		return fmt.Errorf("idem: the completion transaction's connection is lost: %w", t.broken)
	case t.aborted:
		return failure.ErrTxAborted
	case t.conn != nil:
		t.look()
		return nil
	}
	if err := t.acquire(ctx); err != nil {
		return err
	}
	// The attempt may have been ended while the connection was being made.
	return t.ex.alive()
}

func (t *Tx) acquire(ctx context.Context) error {
	if t.lent {
		return failure.ErrAttemptEnded // it is its owner's again
	}
	pooled, err := t.ex.Host.Handlers.Acquire(ctx)
	if err != nil {
		t.broken = err
		return fmt.Errorf("idem: no connection for the completion transaction: %w", err)
	}
	t.pooled, t.conn = pooled, pooled.Conn()
	t.setSocket(t.conn.PgConn())
	return nil
}

func (t *Tx) prologueLen() int {
	n := len(t.ex.unflushed())
	if !t.began {
		n++
	}
	return n
}

// prologue queues what has to run before the next statement.
func (t *Tx) prologue(b *pgx.Batch) []Write {
	if !t.began {
		b.Queue("begin")
		if timeout := t.ex.Host.IdleTimeout; timeout != "" {
			b.Queue("select set_config('idle_in_transaction_session_timeout', $1, true)", timeout)
		}
		t.began = true
	}
	writes := t.ex.takeUnflushed()
	for i := range writes {
		writes[i].Queue(b)
	}
	return writes
}

// flush runs the prologue by itself.
func (t *Tx) flush(ctx context.Context) error {
	if t.prologueLen() == 0 {
		return nil
	}
	b := &pgx.Batch{}
	writes := t.prologue(b)
	t.ex.RoundTrip()
	br := t.conn.SendBatch(ctx, b)
	err := t.readPrologue(br, b.Len(), writes)
	return t.after(errors.Join(err, closeResults(br, err)))
}

// sendBehindPrologue sends the prologue and the statement together, and reads the prologue's results.
func (t *Tx) sendBehindPrologue(ctx context.Context, sql string, args []any) (pgx.BatchResults, error) {
	b := &pgx.Batch{}
	writes := t.prologue(b)
	n := b.Len()
	b.Queue(sql, args...)
	t.ex.RoundTrip()
	br := t.conn.SendBatch(ctx, b)
	if err := t.readPrologue(br, n, writes); err != nil {
		return nil, errors.Join(err, closeResults(br, err))
	}
	return br, nil
}

func (t *Tx) readPrologue(br pgx.BatchResults, n int, writes []Write) error {
	for i := range n {
		if _, err := br.Exec(); err != nil {
			if w := i - (n - len(writes)); w >= 0 {
				return writes[w].Explain(t.ex, err)
			}
			return err
		}
	}
	return nil
}

// after looks at the connection once a statement is through, and says what its error means.
func (t *Tx) after(err error) error {
	if t.conn == nil {
		return err
	}
	pc := t.conn.PgConn()
	switch {
	case pc.IsClosed():
		t.broken = cmp.Or(err, errConnectionLost)
	case err != nil && pc.TxStatus() == 'I':
		t.aborted = true
	}
	t.miss(err)
	if err != nil {
		if ended := t.ex.alive(); ended != nil {
			return errors.Join(ended, err)
		}
	}
	return err
}

// look notes what went wrong with the last result, if that was read to its end.
func (t *Tx) look() {
	if t.open != nil && t.open.finished() {
		t.miss(t.open.failure())
	}
}

// miss notes a failure that the server knows nothing of, and by which it would commit what is left: of a value that does not fit
// its column, of a context that had ended, of a connection that was still being read from. What the server refuses aborts
// the transaction by itself; what was done, and could not be read, is not missing.
func (t *Tx) miss(err error) {
	var unreadable pgx.ScanArgError
	if err == nil || t.missing != nil || errors.As(err, &unreadable) || errors.Is(err, pgx.ErrNoRows) {
		return
	}
	if _, refused := errors.AsType[*pgconn.PgError](err); !refused {
		t.missing = err
	}
}

// returned looks at the transaction when the handler comes back. That is before the attempt ends, and with it
// the handler's context: what is still being read under it can be read to its end, until the timeout. A connection of
// the execution's own is not worth that after a failure, a lent one is: its owner may go back to a savepoint.
func (t *Tx) returned(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn == nil || t.broken != nil {
		return
	}
	var unread error
	if t.open != nil {
		if err == nil || t.lent {
			t.open.finish()
		}
		unread = t.open.failure()
		t.miss(unread)
	}
	if t.conn.IsClosed() {
		t.broken = cmp.Or(err, unread, errConnectionLost)
	}
}

var errConnectionLost = errors.New("idem: the connection of the completion transaction is lost")

// verdict says whether the transaction can complete the step: nil, or why not.
func (t *Tx) verdict() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.broken != nil && ownDoing(t.broken):
		return fmt.Errorf("%w (%w)", failure.ErrTxAborted, t.broken)
	case t.broken != nil:
		return &failure.Interrupted{Err: t.broken}
	case t.aborted:
		return failure.ErrTxAborted
	case !t.began:
		return nil
	}
	pc := t.conn.PgConn()
	switch {
	case pc.IsClosed():
		return &failure.Interrupted{Err: errConnectionLost}
	case pc.TxStatus() == 'E':
		return failure.ErrTxAborted
	case t.missing != nil:
		return fmt.Errorf("%w (%w)", failure.ErrTxAborted, t.missing)
	case pc.TxStatus() != 'T':
		return failure.ErrTxControl
	}
	return nil
}

// kill ends the transaction from outside, also while a statement of it is running.
func (t *Tx) kill() {
	if t.cut() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave()
}

// cut keeps the handler from sending anything more, and waits for nobody. done reports whether the connection is given up as
// well: it is not while the handler is inside a call, where its own code may be what takes long.
func (t *Tx) cut() (done bool) {
	if !t.mu.TryLock() {
		t.cutSocket() // it wakes up
		return false
	}
	defer t.mu.Unlock()
	if t.open != nil && !t.open.finished() {
		t.cutSocket() // it reads a result
	}
	t.leave()
	return true
}

// leave gives the connection up.
func (t *Tx) leave() {
	if t.wasCut() {
		t.detach()
	} else {
		t.releaseLocked()
	}
}

// detach takes the connection out of the pool, if it is from one: its handler may never come back to close what it has open, and
// must not keep the connection's place, nor the worker from ending.
func (t *Tx) detach() {
	if t.conn == nil {
		return
	}
	if t.pooled != nil {
		t.pooled.Hijack()
	}
	t.conn, t.pooled = nil, nil
	t.broken = cmp.Or(t.broken, failure.ErrAttemptEnded)
}

func (t *Tx) setSocket(pc *pgconn.PgConn) {
	t.socketMu.Lock()
	defer t.socketMu.Unlock()
	t.socket = pc
}

// cutSocket closes the socket, unless the connection has gone back to its owner, where it may be somebody else's by now.
func (t *Tx) cutSocket() {
	t.socketMu.Lock()
	defer t.socketMu.Unlock()
	if t.socket == nil {
		return
	}
	closeSocket(t.socket.Conn())
	go cancel(t.socket)
	t.socket = nil
}

// wasCut reports whether the connection is one whose socket was closed.
func (t *Tx) wasCut() bool {
	t.socketMu.Lock()
	defer t.socketMu.Unlock()
	return t.conn != nil && t.socket == nil
}

// cancel tells the server that it need not finish what nobody waits for.
func cancel(pc *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = pc.CancelRequest(ctx)
}

func closeSocket(c net.Conn) {
	if c != nil {
		_ = c.Close()
	}
}

// Release gives the completion transaction's connection back. The pool destroys one that is not idle, which rolls back.
func (ex *Execution) Release() { ex.tx.release() }

func (t *Tx) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.releaseLocked()
}

func (t *Tx) releaseLocked() {
	if t.conn == nil {
		return
	}
	t.closeOpen()
	pooled := t.pooled
	t.conn, t.pooled = nil, nil
	t.setSocket(nil)
	if t.broken == nil && t.began {
		t.broken = failure.ErrAttemptEnded
	}
	if pooled != nil {
		rollbackAndRelease(pooled)
	}
}

// closeOpen reads a result that the handler left unread to its end.
func (t *Tx) closeOpen() {
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
