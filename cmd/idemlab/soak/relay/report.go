package relay

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/idem-go/idem/cmd/idemlab/progress"
	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
	"github.com/idem-go/idem/runtime/outbox"
)

// Report is what a soak was, and what it found. Before its end it has the schedule alone.
type Report struct {
	Seed     uint64  `json:"seed"`
	Postgres string  `json:"postgres"`
	Duration float64 `json:"duration_s"`
	Relays   int     `json:"relays"`
	Workers  int     `json:"workers"`
	Finished bool    `json:"finished"`
	OK       bool    `json:"ok"`
	Took     float64 `json:"took_s"`    // under faults
	Drained  float64 `json:"drained_s"` // until the last command had ended

	Commands  Commands `json:"commands"`
	Requests  Requests `json:"requests"`
	Attempts  Attempts `json:"attempts"`
	OldestAge Age      `json:"oldest_unsent"`
	Groups    Groups   `json:"groups"`

	RelaysKilled  int           `json:"relays_killed"` // with commands in hand
	KilledInHand  int           `json:"commands_in_hand_of_killed_relays"`
	WorkersKilled int           `json:"workers_killed"`
	Faults        []fault.Count `json:"faults"`

	Checks     int                 `json:"checks"` // how often the oracles were asked
	Violations []finding.Violation `json:"violations"`
	Schedule   []fault.Fault       `json:"schedule"`

	mu sync.Mutex // guards OldestAge
}

// Commands are what became of the commands.
type Commands struct {
	Queued    int     `json:"queued"`
	Delivered int     `json:"delivered"`
	Lost      int     `json:"lost"`           // without an effect
	Doubled   int     `json:"double_effects"` // effects beyond the first
	PerSecond float64 `json:"per_second"`
}

// Requests are what the receiver has seen.
type Requests struct {
	Seen       int `json:"seen"`
	Effects    int `json:"effects"`
	Duplicates int `json:"duplicates"`       // the effect was there already
	InProgress int `json:"in_progress"`      // another request under the key was at work: 409
	ToldToWait int `json:"told_to_wait"`     // 503 with Retry-After
	LostAnswer int `json:"lost_by_receiver"` // answers that the receiver did not give
}

// Attempts are what the outbox has recorded.
type Attempts struct {
	Recorded  int `json:"recorded"`
	Answered  int `json:"answered"`
	Failed    int `json:"failed"`     // no answer came
	LostMarks int `json:"lost_marks"` // nothing was recorded: the relay died or was cut off
	Unseen    int `json:"unseen"`     // of the recorded ones: no request arrived
	Released  int `json:"released"`   // claims that were given back, which are no attempts
	Late      int `json:"late"`       // outcomes that came after their claim was lost, and were refused
}

// Groups are what workers have completed together: the commands of such steps were written by one statement a table.
type Groups struct {
	Commits int `json:"commits"` // of more than one step each
	Steps   int `json:"steps"`
}

// Age is how old an unsent command was at most, in seconds.
type Age struct {
	Slow      float64 `json:"slow_destination_s"`
	Elsewhere float64 `json:"elsewhere_s"`
}

func newReport(o Options) *Report {
	return &Report{
		Seed: o.Seed, Duration: o.Duration.Seconds(), Relays: o.Relays, Workers: o.Workers, Schedule: schedule(o),
		Commands: Commands{Queued: o.commands()},
	}
}

func (r *Report) noteAge(there, elsewhere float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.OldestAge.Slow, r.OldestAge.Elsewhere = max(r.OldestAge.Slow, there), max(r.OldestAge.Elsewhere, elsewhere)
}

// count takes over what the last check has seen.
func (r *Report) count(f *facts) {
	r.Commands.Queued, r.Attempts = len(f.rows), Attempts{}
	for i := range f.rows {
		row := &f.rows[i]
		if row.State == string(outbox.StateDelivered) {
			r.Commands.Delivered++
		}
		if f.after.effects[row.Who] == 0 {
			r.Commands.Lost++
		}
		r.Attempts.Recorded += row.Attempts
		r.Attempts.Answered += row.Answered
		r.Attempts.Failed += row.Failed
		r.Attempts.Released += row.Released
		r.Attempts.LostMarks += row.lostMarks()
	}
	for _, n := range f.after.effects {
		r.Commands.Doubled += n - 1
	}
	c := f.after.counts
	r.Requests = Requests{Seen: c.all, Effects: c.effects, Duplicates: c.duplicates, InProgress: c.working, ToldToWait: c.told, LostAnswer: c.lost}
	r.Attempts.Unseen = r.Attempts.Recorded - c.all
}

// fill completes the report from what the soak has counted.
func (r *Report) fill(s *soak) {
	r.Commands.PerSecond = float64(r.Commands.Delivered) / r.Drained
	r.Attempts.Late = int(s.crew.late.Load())
	r.Groups = Groups{Commits: int(s.crew.groups.Load()), Steps: int(s.crew.grouped.Load())}
	landed := s.conductor.landings.ByKind()
	r.Faults = mix.Counts(r.Schedule, landed)
	r.RelaysKilled, r.WorkersKilled = landed[FaultKill], landed[FaultWorker]
	r.KilledInHand = int(s.conductor.inHand)
	r.Violations = s.findings.List()
	r.Finished, r.OK = true, len(r.Violations) == 0
}

// Fine reports whether everything held.
func (r *Report) Fine() bool { return r.OK }

// Landed faults of all kinds.
func (r *Report) Landed() int { return fault.Landed(r.Faults) }

// Write writes the report as tables.
func (r *Report) Write(out io.Writer) error {
	for i, table := range []func(io.Writer){r.writeCounts, r.writeFaults} {
		align := uint(tabwriter.AlignRight)
		if i > 0 {
			align = 0
			fmt.Fprintln(out)
		}
		t := tabwriter.NewWriter(out, 0, 0, 3, ' ', align)
		table(t)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n", r.verdict())
	return err
}

func (r *Report) writeCounts(t io.Writer) {
	row := func(name string, n int, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\t\v  %s\n", name, progress.Thousands(n), fmt.Sprintf(format, args...))
	}
	thousands := progress.Thousands
	row("commands", r.Commands.Queued, "%s delivered with their receipts, %.0f a second over %.0f s",
		thousands(r.Commands.Delivered), r.Commands.PerSecond, r.Drained)
	row("group commits", r.Groups.Commits, "of %s steps, whose commands were written together", thousands(r.Groups.Steps))
	row("requests", r.Requests.Seen, "%s effects, %s told to wait, %s while another was at work",
		thousands(r.Requests.Effects), thousands(r.Requests.ToldToWait), thousands(r.Requests.InProgress))
	row("duplicate requests", r.Requests.Duplicates, "their effect was there already; %s answers were lost by the receiver, %s outcomes came too late",
		thousands(r.Requests.LostAnswer), thousands(r.Attempts.Late))
	row("attempts recorded", r.Attempts.Recorded, "%s answered, %s failed, %s marks lost; %s were not seen by the receiver",
		thousands(r.Attempts.Answered), thousands(r.Attempts.Failed), thousands(r.Attempts.LostMarks), thousands(r.Attempts.Unseen))
	row("relays killed", r.RelaysKilled, "with %s commands in hand; %d workers killed too", thousands(r.KilledInHand), r.WorkersKilled)
	row("oldest unsent", int(r.OldestAge.Elsewhere+0.5), "seconds; %.0f at the slow destination", r.OldestAge.Slow)
}

func (r *Report) writeFaults(t io.Writer) { fault.WriteTable(t, r.Faults) }

func (r *Report) verdict() string {
	var b strings.Builder
	finding.Write(&b, r.Violations, func(id string) string { return oracles[id] })
	if r.OK {
		return fmt.Sprintf("%d faults landed, %d relays killed, %s duplicate requests, %d lost, %d effects doubled: every command had its effect once, at %d checks.",
			r.Landed(), r.RelaysKilled, progress.Thousands(r.Requests.Duplicates), r.Commands.Lost, r.Commands.Doubled, r.Checks)
	}
	if len(r.Violations) == 1 && r.Violations[0].Oracle == "O10" {
		b.WriteString("Everything held, but the faults have missed. Let it last longer, with more commands a second.")
		return b.String()
	}
	fmt.Fprintf(&b, "%d lost, %d effects doubled: this must not happen. Please report it with the seed %d and the report's file.",
		r.Commands.Lost, r.Commands.Doubled, r.Seed)
	return b.String()
}
