package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
)

// The bare loops say what the database allows: claim, effect and fenced completion, and nothing that a runtime is for.

const bareTables = peerLedger + `;
CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id uuid NOT NULL DEFAULT gen_random_uuid(), node text NOT NULL,
    state smallint NOT NULL DEFAULT 0, attempt integer NOT NULL DEFAULT 0,
    token uuid, leased_until timestamptz, ready_at timestamptz NOT NULL DEFAULT now(),
    input jsonb, output jsonb, created_at timestamptz NOT NULL DEFAULT now(), finished_at timestamptz,
    UNIQUE (run_id, node));
CREATE INDEX ON jobs (id) WHERE state = 0;
CREATE INDEX ON jobs (leased_until) WHERE state = 1`

const bareFill = `INSERT INTO jobs (node, input) SELECT 'record', '{"amount": 100}' FROM generate_series(1, $1::integer)`

// Through an array: as a join, the generic plan reads the whole table.
const bareClaim = `UPDATE jobs SET state = 1, attempt = attempt + 1, token = $1::uuid, leased_until = now() + interval '30 s'
WHERE id = ANY (ARRAY(SELECT id FROM jobs WHERE state = 0 ORDER BY id LIMIT $2::integer FOR UPDATE SKIP LOCKED))
RETURNING id, run_id, node`

// A lost lease divides by zero, which rolls the pipeline back. The state is not asked for: only a leased job has a
// token, and the partial index would mislead the planner.
const (
	bareComplete = `WITH done AS (
    UPDATE jobs SET state = 2, finished_at = now(), output = '{"ok": true}', token = NULL, leased_until = NULL
    WHERE id = $1::bigint AND token = $2::uuid RETURNING 1)
SELECT 1 / count(*) FROM done`

	bareCompleteMany = `WITH done AS (
    UPDATE jobs j SET state = 2, finished_at = now(), output = v.output, token = NULL, leased_until = NULL
    FROM unnest($1::bigint[], $3::jsonb[]) AS v(id, output) WHERE j.id = v.id AND j.token = $2::uuid RETURNING 1)
SELECT 1 / (count(*) = cardinality($1::bigint[]))::integer FROM done`

	bareInsertMany = `INSERT INTO ledger (run_id, node, amount, memo)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[]) ON CONFLICT (run_id, node) DO NOTHING`
)

const bareClaimSize = 100

type bareJob struct {
	id int64
	peerCharge
}

// bareQueue is the jobs, and the token of who claims them here.
type bareQueue struct {
	pool  *pgxpool.Pool
	token uuid.UUID
}

func newBareQueue(ctx context.Context, r *rig, connections int) (*bareQueue, error) {
	if err := r.database(ctx); err != nil {
		return nil, err
	}
	if err := r.exec(ctx, bareTables); err != nil {
		return nil, err
	}
	if _, err := r.admin.Exec(ctx, bareFill, r.steps); err != nil {
		return nil, err
	}
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	pool, err := r.pool(ctx, connections)
	return &bareQueue{pool: pool, token: uuid.New()}, err
}

func (q *bareQueue) claim(ctx context.Context) ([]bareJob, error) {
	rows, err := q.pool.Query(ctx, bareClaim, q.token, bareClaimSize)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (bareJob, error) {
		j := bareJob{peerCharge: peerCharge{Amount: 100}}
		return j, row.Scan(&j.id, &j.RunID, &j.Node)
	})
}

// feed claims until nothing is left.
func (q *bareQueue) feed(ctx context.Context, r *rig, jobs chan<- bareJob) error {
	defer close(jobs)
	for {
		claimed, err := q.claim(ctx)
		if err != nil || len(claimed) == 0 {
			return err
		}
		r.begin()
		for _, j := range claimed {
			select {
			case jobs <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// commitGroup writes the effects and the completions of jobs in one round trip.
func (q *bareQueue) commitGroup(ctx context.Context, jobs []bareJob) error {
	n := len(jobs)
	ids, amounts := make([]int64, n), make([]int64, n)
	runs := make([]uuid.UUID, n)
	nodes, memos, outputs := make([]string, n), make([]string, n), make([]string, n)
	for i, j := range jobs {
		ids[i], runs[i], nodes[i], amounts[i], memos[i], outputs[i] = j.id, j.RunID, j.Node, j.Amount, ledger.Memo, `{"ok": true}`
	}
	b := &pgx.Batch{}
	b.Queue(bareInsertMany, runs, nodes, amounts, memos)
	b.Queue(bareCompleteMany, ids, q.token, outputs)
	return q.pool.SendBatch(ctx, b).Close()
}

func (q *bareQueue) check(ctx context.Context, r *rig) error {
	q.pool.Close()
	return errors.Join(
		r.expectLedger(ctx, r.steps),
		r.expect(ctx, r.steps, "completed jobs with an effect",
			"SELECT count(*) FROM jobs JOIN ledger USING (run_id, node) WHERE state = 2"))
}

// bareRun claims in one loop, and does each job by itself.
type bareRun struct {
	handlers int
	do       func(context.Context, *bareQueue, bareJob) error
}

// twoTrips is for handlers that have a transaction: BEGIN rides in front of the first statement.
func twoTrips(ctx context.Context, q *bareQueue, j bareJob) error {
	conn, err := q.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	first, last := &pgx.Batch{}, &pgx.Batch{}
	first.Queue("BEGIN")
	first.Queue(peerInsert, j.RunID, j.Node, j.Amount, ledger.Memo)
	if err := conn.SendBatch(ctx, first).Close(); err != nil {
		return err
	}
	last.Queue(bareComplete, j.id, q.token)
	last.Queue("COMMIT")
	return conn.SendBatch(ctx, last).Close()
}

// oneTrip is for handlers that declare what they write.
func oneTrip(ctx context.Context, q *bareQueue, j bareJob) error {
	b := &pgx.Batch{}
	b.Queue(peerInsert, j.RunID, j.Node, j.Amount, ledger.Memo)
	b.Queue(bareComplete, j.id, q.token)
	return q.pool.SendBatch(ctx, b).Close()
}

func (b bareRun) drain(ctx context.Context, r *rig) error {
	q, err := newBareQueue(ctx, r, b.handlers+1)
	if err != nil {
		return err
	}
	defer q.pool.Close()
	jobs := make(chan bareJob, bareClaimSize)
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error { return q.feed(working, r, jobs) })
	for range b.handlers {
		group.Go(func() error {
			for j := range jobs {
				if err := b.do(working, q, j); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.end(r.steps)
	return q.check(ctx, r)
}

// bareCommitters is the design of idem's recorded effects: each handler waits for the commit of its own job, and a
// committer takes what has piled up meanwhile.
type bareCommitters struct{ handlers, committers int }

// finishedJob is a job on its way into a group.
type finishedJob struct {
	bareJob
	committed chan error
}

func (b bareCommitters) drain(ctx context.Context, r *rig) error {
	q, err := newBareQueue(ctx, r, b.committers+1)
	if err != nil {
		return err
	}
	defer q.pool.Close()
	jobs, finished := make(chan bareJob, 4*bareClaimSize), make(chan finishedJob, b.handlers)
	committers, committing := errgroup.WithContext(ctx)
	groups := make([]int, b.committers)
	for i := range b.committers {
		committers.Go(func() error { return q.commitGroups(committing, finished, &groups[i]) })
	}
	handlers, working := errgroup.WithContext(committing)
	handlers.Go(func() error { return q.feed(working, r, jobs) })
	for range b.handlers {
		handlers.Go(func() error { return handleJobs(working, jobs, finished) })
	}
	err = handlers.Wait()
	if err == nil {
		r.end(r.steps)
	}
	close(finished)
	if err := errors.Join(err, committers.Wait()); err != nil {
		return err
	}
	total := 0
	for _, n := range groups {
		total += n
	}
	r.sample.Note = fmt.Sprintf("%.0f a group", float64(r.steps)/float64(max(total, 1)))
	return q.check(ctx, r)
}

func handleJobs(ctx context.Context, jobs <-chan bareJob, finished chan<- finishedJob) error {
	committed := make(chan error, 1)
	for j := range jobs {
		select {
		case finished <- finishedJob{j, committed}:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case err := <-committed:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (q *bareQueue) commitGroups(ctx context.Context, finished <-chan finishedJob, groups *int) error {
	for first := range finished {
		group, jobs := []finishedJob{first}, []bareJob{first.bareJob}
	gather:
		for len(group) < bareClaimSize {
			select {
			case next, open := <-finished:
				if !open {
					break gather
				}
				group, jobs = append(group, next), append(jobs, next.bareJob)
			default:
				break gather
			}
		}
		err := q.commitGroup(ctx, jobs)
		for _, f := range group {
			f.committed <- err
		}
		if err != nil {
			return err
		}
		*groups++
	}
	return nil
}

// bareGroups claims and commits a group at a time: the least that can be done and still have a lease.
type bareGroups struct{ loops int }

func (b bareGroups) drain(ctx context.Context, r *rig) error {
	q, err := newBareQueue(ctx, r, b.loops)
	if err != nil {
		return err
	}
	defer q.pool.Close()
	group, working := errgroup.WithContext(ctx)
	for range b.loops {
		group.Go(func() error {
			for {
				jobs, err := q.claim(working)
				if err != nil || len(jobs) == 0 {
					return err
				}
				r.begin()
				if err := q.commitGroup(working, jobs); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.end(r.steps)
	return q.check(ctx, r)
}

// slow takes as long as a slow handler.
func slow(ctx context.Context) error { return await.Sleep(ctx, ledger.SlowTime) }
