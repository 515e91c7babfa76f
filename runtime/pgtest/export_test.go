package pgtest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Dir is the directory of a server of our own.
func (s *Server) Dir() string { return s.keeper.dir }

// Postmaster is the process of a server of our own.
func (s *Server) Postmaster() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.keeper.dir, "data", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

// Names lists the databases that pgtest made on the server and that still exist.
func (s *Server) Names(ctx context.Context) ([]string, error) {
	if s.lease != nil {
		return s.lease.names(ctx, namePrefix)
	}
	l, err := openLease(ctx, s.target.admin())
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.conn.Close(ctx) }()
	return l.names(ctx, namePrefix)
}
