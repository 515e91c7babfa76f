package soak

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/progress"
	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
	"github.com/idem-go/idem/cmd/idemlab/soak/proxy"
	"github.com/idem-go/idem/cmd/idemlab/soak/session"
	"github.com/idem-go/idem/examples/payments/migrations"
	schema "github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/pgtest"
)

// Options say how long and how hard the soak is.
type Options struct {
	Duration time.Duration // of the faults; draining the queue comes on top
	Workers  int           // worker processes
	Seed     uint64        // of the schedule of faults
	Rate     int           // steps a second, follow-ups included; 0: as fast as the workers take them
	Report   string        // file for the JSON report; "": none
}

// soak is one soak under way.
type soak struct {
	Options
	say       *progress.Bar
	url       string // of the database, past the proxies
	tracker   *tracker
	crew      *crew
	feeder    *feeder
	conductor *conductor
	findings  *finding.Findings
	report    *Report
}

// Run soaks, tells on out how it goes, and gives what it found. terminal lets the progress stay in one line.
func Run(ctx context.Context, o Options, out io.Writer, terminal bool) (report *Report, err error) {
	s := &soak{Options: o, say: progress.New(out, terminal), tracker: newTracker(), findings: finding.New()}
	s.report = newReport(o)
	if err := finding.Save(o.Report, s.report); err != nil { // before hours have passed
		return nil, err
	}
	server, err := pgtest.Start(ctx, pgtest.Durable(), pgtest.Private())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	s.announce(server.Source())
	if s.url, err = server.NewDatabase(ctx, pgtest.Migrated("soak", prepare)); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "idem-soak-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := s.set(ctx, server, dir); err != nil {
		return nil, err
	}
	defer s.strike()
	if err := s.perform(ctx); err != nil {
		return nil, err
	}
	s.say.End()
	if err := s.judge(ctx); err != nil {
		return nil, err
	}
	return s.report, finding.Save(o.Report, s.report)
}

func (s *soak) announce(source string) {
	s.say.Linef("Postgres from %s", source)
	s.say.Linef("Seed %d: %v with %d worker processes and %d faults, the same at every run:", s.Seed, s.Duration, s.Workers, len(s.report.Schedule))
	for _, line := range mix.Preview(s.report.Schedule) {
		s.say.Linef("  %s", line)
	}
}

//go:embed schema.sql
var views string

// prepare makes the tables of the runtime and of the example, and the views that the oracles ask.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := schema.Up(ctx, pool, schema.DefaultSchema); err != nil {
		return err
	}
	texts, err := migrations.SQL()
	if err != nil {
		return err
	}
	for _, text := range append(texts, views) {
		if _, err := pool.Exec(ctx, text); err != nil {
			return fmt.Errorf("the soak's tables: %w", err)
		}
	}
	return nil
}

// set starts the workers, and makes the feeder ready, each behind a proxy.
func (s *soak) set(ctx context.Context, server *pgtest.Server, dir string) error {
	socket, database, err := session.Socket(s.url)
	if err != nil {
		return err
	}
	p, err := proxy.New(filepath.Join(dir, "feeder"), socket)
	if err != nil {
		return err
	}
	feeding := &place{name: "soak-feeder", proxy: p, url: p.URL(database, "soak-feeder")}
	pool, err := pgxpool.New(ctx, feeding.url)
	if err != nil {
		return err
	}
	s.feeder = &feeder{
		pool: pool, rate: s.Rate, client: runtime.NewClient(pool, runtime.WithClientLogger(slog.New(slog.DiscardHandler))),
		violate: func(example string) {
			s.findings.Add(finding.Violation{Oracle: "I1", Count: 1, Examples: []string{example}})
		},
	}
	s.crew, err = newCrew(s.Workers, dir, socket, database, s.tracker)
	s.conductor = &conductor{server: server, url: s.url, crew: s.crew, feeder: feeding, tracker: s.tracker}
	if err != nil {
		s.strike()
	}
	return err
}

// strike takes down what set has put up.
func (s *soak) strike() {
	s.crew.abandon()
	s.conductor.feeder.proxy.Stop()
	s.feeder.pool.Close()
}

// drainTime is how long the steps that are left may take once the faults are over.
const drainTime = 2 * time.Minute

// perform works under faults, and then drains the queue.
func (s *soak) perform(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	fail := func(err error) {
		if err != nil {
			cancel(err)
		}
	}
	var all sync.WaitGroup
	defer all.Wait()
	stopFeeding, fed := make(chan struct{}), make(chan struct{})
	all.Go(func() {
		defer close(fed)
		fail(s.feeder.feed(ctx, stopFeeding))
	})
	if err := s.until(ctx, 30*time.Second, s.atWork); err != nil {
		fail(fmt.Errorf("the workers do not begin: %w", err))
		return context.Cause(ctx)
	}

	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	began := time.Now()
	s.report.began = began
	all.Go(func() { fail(s.watch(watching, began)) })
	all.Go(func() { s.watchLeases(watching) })
	fail(s.conductor.landings.Run(ctx, s.report.Schedule, s.conductor.apply))
	session.Sleep(ctx, time.Until(began.Add(s.Duration)))
	close(stopFeeding)
	<-fed
	s.report.Took = time.Since(began).Seconds()
	// Whoever is not through by then is found by the oracles of the end.
	if err := s.until(ctx, drainTime, s.drained); err != nil && ctx.Err() == nil {
		s.say.Linef("\nThe queue did not drain within %v.", drainTime)
	}
	s.report.Drained = time.Since(began).Seconds()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	stopWatching()
	return s.crew.leave()
}

func (s *soak) atWork(context.Context) (bool, error) {
	c, _ := s.tracker.snapshot()
	return c.completed > 0, s.crew.failure()
}

func (s *soak) drained(ctx context.Context) (done bool, err error) {
	err = session.With(ctx, s.url, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM idem.steps WHERE state IN ('pending', 'running'))`).Scan(&done)
	})
	return done, err
}

// until waits until what is asked for holds.
func (s *soak) until(ctx context.Context, limit time.Duration, holds func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		if done, err := holds(ctx); done || err != nil {
			return err
		}
		if !session.Sleep(ctx, 100*time.Millisecond) {
			return ctx.Err()
		}
	}
}

// checkEvery is how often the oracles are asked while the faults happen: every minute, or oftener in a short soak.
func (s *soak) checkEvery() time.Duration { return min(time.Minute, s.Duration/3) }

// watch shows the progress, looks after the workers, and asks the oracles now and then.
func (s *soak) watch(ctx context.Context, began time.Time) error {
	for next := began.Add(s.checkEvery()); ; {
		s.show(time.Since(began))
		if err := s.crew.failure(); err != nil {
			return err
		}
		if time.Now().After(next) && s.check(ctx) {
			next = time.Now().Add(s.checkEvery())
		}
		if !session.Sleep(ctx, 200*time.Millisecond) {
			return nil
		}
	}
}

func (s *soak) show(elapsed time.Duration) {
	c, _ := s.tracker.snapshot()
	s.say.Update(int(elapsed.Milliseconds()), int(s.Duration.Milliseconds()), fmt.Sprintf("%v of %v, %s steps, %d faults landed, %d violations",
		min(elapsed, s.Duration).Truncate(time.Second), s.Duration, progress.Thousands(c.completed), s.conductor.landings.Total(), s.findings.Count()))
}

// check asks the oracles that always hold. It is false when a fault of the server has ended it, and has to be made again.
func (s *soak) check(ctx context.Context) bool {
	err := session.With(ctx, s.url, func(conn *pgx.Conn) error {
		violated, err := ask(ctx, conn, s.feeder.facts(), false)
		s.findings.Add(violated...)
		return err
	})
	if err != nil {
		return false
	}
	s.report.Checks++
	return true
}

// watchLeases asks I11 every second, unless nobody could have looked after the leases for a while.
func (s *soak) watchLeases(ctx context.Context) {
	able := time.Now()
	for next := able; session.Sleep(ctx, 100*time.Millisecond); {
		now := time.Now()
		if s.tracker.isAway() || !s.crew.able() {
			able = now
		}
		if now.Sub(able) < overdueAfter+startingTime || now.Before(next) {
			continue
		}
		next = now.Add(time.Second)
		_ = session.With(ctx, s.url, func(conn *pgx.Conn) error {
			examples, err := overdue(ctx, conn)
			if err == nil {
				s.report.LeaseChecks++
			}
			v := finding.Violation{Oracle: "I11"}
			for _, e := range examples {
				v.Add(e)
			}
			// The conditions may have changed while it was asked.
			if err == nil && v.Count > 0 && !s.tracker.isAway() && s.crew.able() {
				s.findings.Add(v)
			}
			return err
		})
	}
}

// judge asks everything, once all is quiet, and fills in the report.
func (s *soak) judge(ctx context.Context) error {
	return session.With(ctx, s.url, func(conn *pgx.Conn) error {
		violated, err := ask(ctx, conn, s.feeder.facts(), true)
		if err != nil {
			return err
		}
		reports, err := reportsAgree(ctx, conn, s.tracker)
		if err != nil {
			return err
		}
		s.report.Checks++
		s.findings.Add(violated...)
		s.findings.Add(reports, s.tracker.twice, notLanded(s.report.Schedule, s.conductor.landings.ByKind()))
		return s.report.fill(ctx, conn, s)
	})
}
