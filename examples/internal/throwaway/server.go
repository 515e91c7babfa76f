package throwaway

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/pgtest"
)

// Server hands out databases.
type Server struct {
	server *pgtest.Server
	pools  []*pgxpool.Pool
}

// Start finds a server, or starts one.
func Start(ctx context.Context) (*Server, error) {
	server, err := pgtest.Start(ctx)
	if err != nil {
		return nil, err
	}
	return &Server{server: server}, nil
}

// Database makes a database with the runtime's tables, runs the migrations in it, and returns a pool on it.
func (s *Server) Database(ctx context.Context, texts ...string) (*pgxpool.Pool, error) {
	url, err := s.server.NewDatabase(ctx)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	s.pools = append(s.pools, pool)
	if _, err := migrations.Up(ctx, pool, migrations.DefaultSchema); err != nil {
		return nil, err
	}
	for _, text := range texts {
		if _, err := pool.Exec(ctx, text); err != nil {
			return nil, err
		}
	}
	return pool, nil
}

// closeTimeout bounds what happens at the end, also when the example is being interrupted.
const closeTimeout = 30 * time.Second

// Close drops the databases, and stops the server if it was started for the example.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var problems []error
	for _, pool := range s.pools {
		pool.Close()
		problems = append(problems, s.server.DropDatabase(ctx, pool.Config().ConnString()))
	}
	return errors.Join(append(problems, s.server.Stop())...)
}
