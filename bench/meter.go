package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/bench/await"
)

// meter tells what the time between begin and end has cost.
type meter struct {
	counts bool // count was called
	server int  // the postmaster's process
	before counters

	once  sync.Once
	begun atomic.Bool
	start reading
	// others are processes, apart from this one, whose CPU time counts as Go's.
	others []int
}

// reading is a point in time, and the CPU time that was used until then.
type reading struct {
	at               time.Time
	postgres, goTime time.Duration
	machine          machineTime
}

func (m *meter) read() reading {
	return reading{at: time.Now(), postgres: treeCPU(m.server), goTime: ownCPU() + processesCPU(m.others), machine: machineCPU()}
}

func (m *meter) begin() {
	if m.begun.Load() {
		return
	}
	m.once.Do(func() {
		m.start = m.read()
		m.begun.Store(true)
	})
}

// since returns what was used since begin.
func (m *meter) since() reading {
	now := m.read()
	return reading{
		postgres: now.postgres - m.start.postgres, goTime: now.goTime - m.start.goTime,
		machine: now.machine.since(m.start.machine),
	}
}

func (m *meter) end(steps int, s *Sample) {
	took := time.Since(m.start.at)
	used := m.since()
	s.Steps, s.Seconds = steps, took.Seconds()
	s.Value, s.Unit = float64(steps)/took.Seconds(), perSecond
	s.PostgresCPU = used.postgres.Seconds() / float64(steps) * 1e6
	s.GoCPU = used.goTime.Seconds() / float64(steps) * 1e6
	s.Busy = used.machine.busyShare()
	s.Other = max(0, s.Busy-used.machine.share(used.postgres+used.goTime))
}

// counters are what Postgres has done so far.
type counters struct {
	fsyncs, commits int64
	wal             int64
}

// count notes the counters before a measurement.
func (m *meter) count(ctx context.Context, admin *pgx.Conn) (err error) {
	m.counts = true
	m.server = parentOf(int(admin.PgConn().PID()))
	m.before, err = readCounters(ctx, admin)
	return err
}

// finish adds to the sample what was counted since.
func (m *meter) finish(ctx context.Context, admin *pgx.Conn, s *Sample) error {
	if s.Steps == 0 {
		return nil
	}
	after, err := readCounters(ctx, admin)
	if err != nil {
		return err
	}
	n := float64(s.Steps)
	s.Fsyncs = float64(after.fsyncs-m.before.fsyncs) / n
	s.Commits = float64(after.commits-m.before.commits) / n
	s.WAL = float64(after.wal-m.before.wal) / n
	return nil
}

// Processes report what they have counted when they end, or when they have been idle for a while.
const othersConnected = `SELECT count(*) > 0 FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`

func readCounters(ctx context.Context, admin *pgx.Conn) (c counters, err error) {
	for range 200 {
		var others bool
		if err := admin.QueryRow(ctx, othersConnected).Scan(&others); err != nil {
			return c, err
		}
		if !others {
			break
		}
		if err := await.Sleep(ctx, 5*time.Millisecond); err != nil {
			return c, err
		}
	}
	var version int
	if err := admin.QueryRow(ctx, "SELECT current_setting('server_version_num')::integer").Scan(&version); err != nil {
		return c, err
	}
	fsyncs := "SELECT wal_sync FROM pg_stat_wal"
	if version >= 180000 {
		fsyncs = "SELECT COALESCE(sum(fsyncs), 0)::bigint FROM pg_stat_io WHERE object = 'wal'"
	}
	return c, errors.Join(
		admin.QueryRow(ctx, fsyncs).Scan(&c.fsyncs),
		admin.QueryRow(ctx, "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").Scan(&c.commits),
		admin.QueryRow(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint").Scan(&c.wal),
	)
}
