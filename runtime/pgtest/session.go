package pgtest

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
)

// sessions are connections from which databases are created and dropped. They are kept for the next time: a server has
// more work with a new session than with what it is asked for there.
type sessions struct {
	mu   sync.Mutex
	idle []*pgx.Conn
}

func (p *sessions) take() *pgx.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	last := len(p.idle) - 1
	conn := p.idle[last]
	p.idle = p.idle[:last]
	return conn
}

func (p *sessions) keep(conn *pgx.Conn) {
	if conn.IsClosed() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, conn)
}

func (p *sessions) end(ctx context.Context) {
	for conn := p.take(); conn != nil; conn = p.take() {
		_ = conn.Close(ctx) // the server, which may be gone already, has nothing to say about it
	}
}

// session returns one that answers: those that were kept have ended where the server has crashed or restarted since.
func (s *Server) session(ctx context.Context) (*pgx.Conn, error) {
	for conn := s.sessions.take(); conn != nil; conn = s.sessions.take() {
		if conn.Ping(ctx) == nil {
			return conn, nil
		}
		_ = conn.Close(ctx)
	}
	return pgx.Connect(ctx, s.target.admin())
}

// admin runs statements outside of any transaction.
func (s *Server) admin(ctx context.Context, statements ...string) error {
	conn, err := s.session(ctx)
	if err != nil {
		return err
	}
	defer s.sessions.keep(conn)
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}
