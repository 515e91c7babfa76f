package soak

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/cmd/idemlab/progress"
	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
)

// Report is what a soak was, and what it found. Before its end it has the schedule alone.
type Report struct {
	Seed     uint64  `json:"seed"`
	Postgres string  `json:"postgres"`
	Duration float64 `json:"duration_s"`
	Workers  int     `json:"workers"`
	Rate     int     `json:"steps_per_second"` // asked for; 0: as fast as it goes
	Finished bool    `json:"finished"`
	OK       bool    `json:"ok"`
	Took     float64 `json:"took_s"`    // under faults
	Drained  float64 `json:"drained_s"` // until the last step had ended
	began    time.Time
	Faults   []fault.Count `json:"faults"`
	Steps    Steps         `json:"steps"`
	Effects  []Effect      `json:"effects"`
	Recovery Recovery      `json:"recovery"`
	Unknown  Unknown       `json:"unknown_outcomes"`
	// Checks is how often the oracles were asked; LeaseChecks how often I11 was, which is asked on its own.
	Checks      int                 `json:"checks"`
	LeaseChecks int                 `json:"lease_checks"`
	Violations  []finding.Violation `json:"violations"`
	Schedule    []fault.Fault       `json:"schedule"`
}

// Steps are what became of the steps.
type Steps struct {
	Enqueued   int     `json:"enqueued"`
	FollowUps  int     `json:"follow_ups"`
	Completed  int     `json:"completed"`
	Discarded  int     `json:"discarded"`
	Retried    int     `json:"retried"` // with a second attempt or a later one
	Reclaims   int     `json:"reclaims"`
	Executions int     `json:"executions"` // of handlers
	Repeated   int     `json:"repeated"`   // steps whose handler began more than once
	PerSecond  float64 `json:"per_second"` // ended steps, draining included
}

// Effect is one kind of thing that the handlers leave behind, counted by the business's identities.
type Effect struct {
	Name       string `json:"effect"`
	Want       int    `json:"want"`
	Found      int    `json:"found"` // distinct ones
	Duplicates int    `json:"duplicates"`
	Lost       int    `json:"lost"`
}

// Recovery is how long it took until work went on.
type Recovery struct {
	// Kill: from a SIGKILL to the second start of each step that was in the killed worker's hands.
	Kill Times `json:"kill_to_second_start"`
	// Bound is what it should take: lease, sweep and poll together.
	Bound float64 `json:"bound_ms"`
	// Slow are the kills after which a step took longer than that: the schedule says what else happened then.
	Slow []SlowRecovery `json:"slow"`
	// Waited: recoveries that are not among these, since Postgres took no writes meanwhile.
	Waited int `json:"waited_for_postgres"`
	// Committed: steps that had committed before the kill, and so never ran again.
	Committed int `json:"committed_before_kill"`
	// Postgres: from its first accepted connection after a crash to the first completion.
	Postgres Times `json:"postgres_ready_to_first_completion"`
}

// SlowRecovery is a kill after which some steps took longer than the bound.
type SlowRecovery struct {
	At    float64 `json:"at_ms"` // since the soak's beginning, as in the schedule
	Steps int     `json:"steps"` // that took longer
	Max   float64 `json:"max_ms"`
}

// Times sum durations up, in milliseconds.
type Times struct {
	Samples int     `json:"samples"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Max     float64 `json:"max_ms"`
}

// Unknown is what became of commits whose answer was lost.
type Unknown struct {
	Commits   int `json:"commits"`
	Completed int `json:"completed_without_second_execution"`
	RunAgain  int `json:"run_again"`
	Settled   int `json:"settled_otherwise"`
	Open      int `json:"reported_by_none"` // their worker was killed, and the step did not run again
	// Enqueues that had to be repeated, and those of them that had been stored before.
	Enqueues       int `json:"enqueues_repeated"`
	EnqueuesStored int `json:"enqueues_stored_before"`
}

func newReport(o Options) *Report {
	return &Report{
		Seed: o.Seed, Duration: o.Duration.Seconds(), Workers: o.Workers, Rate: o.Rate,
		Schedule: schedule(o.Seed, o.Duration, o.Workers),
	}
}

// Duplicates of all effects.
func (r *Report) Duplicates() (n int) {
	for _, e := range r.Effects {
		n += e.Duplicates
	}
	return n
}

// Fine reports whether everything held.
func (r *Report) Fine() bool { return r.OK }

// Lost effects.
func (r *Report) Lost() (n int) {
	for _, e := range r.Effects {
		n += e.Lost
	}
	return n
}

// Landed faults of all kinds.
func (r *Report) Landed() int { return fault.Landed(r.Faults) }

// The duplicates of a balance are what it has too much, in units of a step's least amount.
const (
	sqlEffects = `SELECT w.what, count(*), count(f.who), coalesce(sum(f.copies - 1), 0) + count(*) FILTER (WHERE f.amount > w.amount),
	count(*) FILTER (WHERE f.who IS NULL OR f.amount < w.amount)
FROM soak_wanted w LEFT JOIN soak_found f ON f.what = w.what AND f.who = w.who GROUP BY w.what ORDER BY w.what`
	sqlSteps = `SELECT count(*), count(*) FILTER (WHERE node = 'send_receipt'), count(*) FILTER (WHERE state = 'completed'),
	count(*) FILTER (WHERE state = 'discarded'), count(*) FILTER (WHERE attempt > 1), coalesce(sum(reclaims), 0) FROM idem.steps`
)

// fill completes the report from the database and from what the soak has counted.
func (r *Report) fill(ctx context.Context, conn *pgx.Conn, s *soak) error {
	r.Postgres = conn.PgConn().ParameterStatus("server_version")
	var all int
	err := conn.QueryRow(ctx, sqlSteps).
		Scan(&all, &r.Steps.FollowUps, &r.Steps.Completed, &r.Steps.Discarded, &r.Steps.Retried, &r.Steps.Reclaims)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `SET work_mem = '64MB'; SET enable_nestloop = off`); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, sqlEffects)
	if err != nil {
		return err
	}
	r.Effects, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Effect])
	if err != nil {
		return err
	}
	r.Steps.Enqueued = all - r.Steps.FollowUps
	r.Steps.PerSecond = float64(r.Steps.Completed+r.Steps.Discarded) / r.Drained
	r.Violations = s.findings.List()
	r.Faults = mix.Counts(r.Schedule, s.conductor.landings.ByKind())
	r.recount(s.tracker)
	r.Unknown.Enqueues, r.Unknown.EnqueuesStored = int(s.feeder.repeated.Load()), int(s.feeder.stored.Load())
	r.Finished, r.OK = true, len(r.Violations) == 0
	return nil
}

// recount takes over what the tracker has counted.
func (r *Report) recount(t *tracker) {
	r.Steps.Repeated = t.repeated()
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Steps.Executions = t.counts.executions
	bound := lease + sweep + poll
	took := make([]time.Duration, len(t.again))
	for i, again := range t.again {
		took[i] = again.took
	}
	r.Recovery = Recovery{
		Kill: sumUp(took), Bound: millis(bound), Slow: slowest(t.again, bound, r.began), Waited: t.counts.waited, Committed: len(t.orphans), Postgres: sumUp(t.firsts),
	}
	r.Unknown = Unknown{
		Commits: t.counts.unknown, Completed: t.counts.resolved, RunAgain: t.counts.rerun, Settled: t.counts.settled, Open: len(t.doubts),
	}
}

// slowest groups the recoveries that took longer than the bound by their kills.
func slowest(all []recovery, bound time.Duration, began time.Time) []SlowRecovery {
	byKill := map[time.Time]*SlowRecovery{}
	for _, x := range all {
		if x.took <= bound {
			continue
		}
		if byKill[x.killed] == nil {
			byKill[x.killed] = &SlowRecovery{At: millis(x.killed.Sub(began))}
		}
		byKill[x.killed].Steps++
		byKill[x.killed].Max = max(byKill[x.killed].Max, millis(x.took))
	}
	found := []SlowRecovery{}
	for _, killed := range slices.SortedFunc(maps.Keys(byKill), time.Time.Compare) {
		found = append(found, *byKill[killed])
	}
	return found
}

func sumUp(times []time.Duration) Times {
	if len(times) == 0 {
		return Times{}
	}
	sorted := slices.Sorted(slices.Values(times))
	at := func(share float64) float64 { return millis(sorted[int(share*float64(len(sorted)-1)+0.5)]) }
	return Times{Samples: len(sorted), P50: at(0.5), P99: at(0.99), Max: at(1)}
}

func millis(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond/10)) / float64(time.Millisecond)
}

// Write writes the report as tables.
func (r *Report) Write(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n int, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\t\v  %s\n", name, progress.Thousands(n), fmt.Sprintf(format, args...))
	}
	row("steps", r.Steps.Enqueued+r.Steps.FollowUps, "%s of them follow-ups; %.0f a second over %.0f s",
		progress.Thousands(r.Steps.FollowUps), r.Steps.PerSecond, r.Drained)
	row("completed", r.Steps.Completed, "and %s discarded, as their handlers ask for", progress.Thousands(r.Steps.Discarded))
	row("executions", r.Steps.Executions, "%s steps ran more than once, %s have a second attempt",
		progress.Thousands(r.Steps.Repeated), progress.Thousands(r.Steps.Retried))
	row("reclaims", r.Steps.Reclaims, "steps taken over after their lease ran out")
	row("unknown commits", r.Unknown.Commits, "%s completed without a second execution, %s run again, %s settled otherwise, %s open",
		progress.Thousands(r.Unknown.Completed), progress.Thousands(r.Unknown.RunAgain), progress.Thousands(r.Unknown.Settled), progress.Thousands(r.Unknown.Open))
	row("repeated enqueues", r.Unknown.Enqueues, "%s had been stored before", progress.Thousands(r.Unknown.EnqueuesStored))
	if err := t.Flush(); err != nil {
		return err
	}
	for _, table := range []func(io.Writer){r.writeFaults, r.writeRecovery, r.writeEffects} {
		fmt.Fprintln(out)
		t := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
		table(t)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n", r.verdict())
	return err
}

func (r *Report) writeFaults(t io.Writer) { fault.WriteTable(t, r.Faults) }

func (r *Report) writeRecovery(t io.Writer) {
	fmt.Fprintln(t, "  recovery\tsamples\tp50\tp99\tmax\t")
	fmt.Fprintln(t, "  --------\t-------\t---\t---\t---\t")
	row := func(name string, x Times, remark string) {
		fmt.Fprintf(t, "  %s\t%s\t%.2f s\t%.2f s\t%.2f s\t%s\n", name, progress.Thousands(x.Samples), x.P50/1000, x.P99/1000, x.Max/1000, remark)
	}
	row("kill to second start", r.Recovery.Kill, fmt.Sprintf("lease, sweep and poll: %.2f s; %d more while Postgres was away, %d had committed",
		r.Recovery.Bound/1000, r.Recovery.Waited, r.Recovery.Committed))
	row("Postgres ready to first completion", r.Recovery.Postgres, "")
}

func (r *Report) writeEffects(t io.Writer) {
	fmt.Fprintln(t, "  effect\texpected\tfound\tduplicates\tlost\t")
	fmt.Fprintln(t, "  ------\t--------\t-----\t----------\t----\t")
	for _, e := range r.Effects {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t\n", e.Name,
			progress.Thousands(e.Want), progress.Thousands(e.Found), progress.Thousands(e.Duplicates), progress.Thousands(e.Lost))
	}
}

func (r *Report) verdict() string {
	var b strings.Builder
	finding.Write(&b, r.Violations, saysOf)
	if r.OK {
		return fmt.Sprintf("%d faults landed, %d duplicates, %d lost: every effect happened once, at %d checks of everything and %d of the leases.",
			r.Landed(), r.Duplicates(), r.Lost(), r.Checks, r.LeaseChecks)
	}
	fmt.Fprintf(&b, "%d duplicates, %d lost: this must not happen. Please report it with the seed %d and the report's file.",
		r.Duplicates(), r.Lost(), r.Seed)
	return b.String()
}

// saysOf returns an oracle's sentence.
func saysOf(id string) string {
	for _, o := range oracles {
		if o.id == id {
			return o.says
		}
	}
	return map[string]string{
		"I8":  "a step is reported completed once, and then is",
		"I11": "no step is running long after its lease ran out",
		"I12": "every kind of fault has landed",
	}[id]
}
