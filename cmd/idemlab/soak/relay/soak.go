package relay

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/progress"
	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
	"github.com/idem-go/idem/cmd/idemlab/soak/session"
	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/pgtest"
)

// Options say how long and how hard the soak is.
type Options struct {
	Duration time.Duration // in which the commands are queued and faults fall; what is left then comes on top
	Commands int           // rounded up to what whole steps queue
	Relays   int           // processes that send
	Workers  int           // processes that queue
	Seed     uint64        // of the schedule of faults
	Report   string        // file for the JSON report; "": none
}

func (o Options) steps() int64 { return int64(o.Commands+commands.PerStep-1) / commands.PerStep }

func (o Options) commands() int { return int(o.steps()) * commands.PerStep }

// soak is one soak under way.
type soak struct {
	Options
	say       *progress.Bar
	url       string        // of the database, past the proxies
	pool      *pgxpool.Pool // on it
	receiver  *receiver
	crew      *crew
	feeder    *feeder
	conductor *conductor
	findings  *finding.Findings
	report    *Report
}

// Run soaks, tells on out how it goes, and gives what it found. terminal lets the progress stay in one line.
func Run(ctx context.Context, o Options, out io.Writer, terminal bool) (report *Report, err error) {
	s := &soak{Options: o, say: progress.New(out, terminal), findings: finding.New(), report: newReport(o)}
	if err := finding.Save(o.Report, s.report); err != nil { // before hours have passed
		return nil, err
	}
	server, err := pgtest.Start(ctx, pgtest.Durable(), pgtest.Private())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	s.announce(server.Source())
	if s.url, err = server.NewDatabase(ctx, pgtest.Migrated("soak-outbox", prepare)); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "idem-soak-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if s.receiver, err = newReceiver(o.Seed); err != nil {
		return nil, err
	}
	defer s.receiver.close()
	if s.pool, err = pgxpool.New(ctx, s.url); err != nil {
		return nil, err
	}
	defer s.pool.Close()
	defer func() { s.crew.abandon() }()
	if err := s.set(server, dir); err != nil {
		return nil, err
	}
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
	s.say.Linef("Seed %d: %s commands in %v, with %d relay and %d worker processes and %d faults, the same at every run:",
		s.Seed, progress.Thousands(s.commands()), s.Duration, s.Relays, s.Workers, len(s.report.Schedule))
	for _, line := range mix.Preview(s.report.Schedule) {
		s.say.Linef("  %s", line)
	}
}

//go:embed schema.sql
var schema string

// prepare makes the tables of the runtime, the outboxes, and what the soak adds to them.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := migrations.Up(ctx, pool, migrations.DefaultSchema); err != nil {
		return err
	}
	if err := commands.Migrate(ctx, pool); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, schema); err != nil {
		return fmt.Errorf("the soak's tables: %w", err)
	}
	return nil
}

// set starts the processes, and makes the others ready.
func (s *soak) set(server *pgtest.Server, dir string) error {
	socket, database, err := session.Socket(s.url)
	if err != nil {
		return err
	}
	s.feeder = newFeeder(s.pool, s.receiver.url, s.Options)
	s.crew, err = newCrew(s.Options, dir, socket, database)
	s.conductor = &conductor{server: server, url: s.url, crew: s.crew}
	return err
}

// perform works under faults, and then lets the relays send what is left.
func (s *soak) perform(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	fail := func(err error) {
		if err != nil {
			cancel(err)
		}
	}
	var all, fed sync.WaitGroup
	defer all.Wait()
	began := time.Now()
	fed.Go(func() { fail(s.feeder.feed(ctx)) })
	if err := s.begin(ctx); err != nil {
		fail(err)
		fed.Wait()
		return context.Cause(ctx)
	}
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	all.Go(func() { fail(s.watch(watching)) })
	all.Go(func() { s.watchAge(watching) })
	fail(s.conductor.landings.Run(ctx, s.report.Schedule, s.conductor.apply))
	fed.Wait()
	s.report.Took = time.Since(began).Seconds()
	s.drain(ctx)
	s.report.Drained = time.Since(began).Seconds()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	stopWatching()
	return s.crew.leave()
}

// begin waits until the first commands have arrived: processes that do not start are no fault of the relay's.
func (s *soak) begin(ctx context.Context) error {
	for end := time.Now().Add(time.Minute); s.receiver.counted().effects == 0; {
		if err := s.crew.failure(); err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New("no command arrives: the workers or the relays do not begin")
		}
		if !session.Sleep(ctx, 20*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
	return nil
}

// stall is how long nothing more is delivered before the soak gives up waiting: the oracles then say what is missing.
const stall = 30 * time.Second

// drain waits until nothing is under way, or nothing goes on any more.
func (s *soak) drain(ctx context.Context) {
	last, since := -1, time.Now()
	for {
		left, err := s.left(ctx)
		switch {
		case err == nil && left == 0:
			return
		case err == nil && left != last:
			last, since = left, time.Now()
		case time.Since(since) > stall:
			s.say.Linef("\nNothing more was delivered for %v.", stall)
			return
		}
		if !session.Sleep(ctx, 100*time.Millisecond) {
			return
		}
	}
}

// left counts the steps and commands that have not ended.
func (s *soak) left(ctx context.Context) (n int, err error) {
	err = s.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM idem.steps WHERE state IN ('pending', 'running'))
	+ (SELECT count(*) FROM notices WHERE state = 'pending') + (SELECT count(*) FROM changes WHERE state = 'pending')`).Scan(&n)
	return n, err
}

// checkEvery is how often the oracles are asked while the faults happen: every half a minute, or oftener in a short soak.
func (s *soak) checkEvery() time.Duration { return min(30*time.Second, s.Duration/3) }

// watch shows the progress, looks after the processes, and asks the oracles now and then.
func (s *soak) watch(ctx context.Context) error {
	for next := time.Now().Add(s.checkEvery()); ; {
		s.show()
		if err := s.crew.failure(); err != nil {
			return err
		}
		if time.Now().After(next) && s.check(ctx, false) == nil {
			next = time.Now().Add(s.checkEvery())
		}
		if !session.Sleep(ctx, 200*time.Millisecond) {
			return nil
		}
	}
}

func (s *soak) show() {
	c := s.receiver.counted()
	s.say.Update(c.effects, s.commands(), fmt.Sprintf("%s of %s commands, %s requests twice, %d faults landed, %d violations",
		progress.Thousands(c.effects), progress.Thousands(s.commands()), progress.Thousands(c.duplicates), s.conductor.landings.Total(), s.findings.Count()))
}

// watchAge keeps the greatest age of an unsent command, at the slow destination and elsewhere.
func (s *soak) watchAge(ctx context.Context) {
	for session.Sleep(ctx, 200*time.Millisecond) {
		var there, elsewhere float64
		err := s.pool.QueryRow(ctx, `SELECT coalesce(max(age) FILTER (WHERE is_slow), 0), coalesce(max(age) FILTER (WHERE NOT is_slow), 0) FROM (
	SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 AS age, destination LIKE '%' || $1::text AS is_slow
	FROM soak_commands WHERE state = 'pending') c`, commands.SlowPath).Scan(&there, &elsewhere)
		if err != nil {
			continue // the server is away
		}
		s.report.noteAge(there, elsewhere)
	}
}

// check asks the oracles. An error means that a fault of the server has ended it, and that it has to be made again.
func (s *soak) check(ctx context.Context, atEnd bool) error {
	f := facts{before: s.receiver.snapshot(), acknowledged: s.feeder.acknowledged.Load(), atEnd: atEnd}
	if err := session.With(ctx, s.url, func(conn *pgx.Conn) error {
		s.report.Postgres = conn.PgConn().ParameterStatus("server_version")
		return f.load(ctx, conn)
	}); err != nil {
		return err
	}
	f.after = s.receiver.snapshot()
	s.findings.Add(f.judge()...)
	s.report.Checks++
	if atEnd {
		s.report.count(&f)
	}
	return nil
}

// judge asks everything, once all is quiet, and fills in the report.
func (s *soak) judge(ctx context.Context) error {
	if err := s.check(ctx, true); err != nil {
		return err
	}
	s.findings.Add(notLanded(s.report.Schedule, s.conductor.landings.ByKind()))
	s.report.fill(s)
	return nil
}
