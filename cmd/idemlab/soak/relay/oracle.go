package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

// oracles are what must hold, by their names.
var oracles = map[string]string{
	"O1":  "the commands of a completed step are in the outbox, each once, and in the end every acknowledged step is completed",
	"O2":  "a command in the outbox belongs to a completed step",
	"O3":  "the receiver has heard of no command that is not in the outbox",
	"O4":  "a command has its effect once, at the latest when it is delivered",
	"O5":  "a delivered command has the receipt that the receiver gave for it",
	"O6":  "the effects of a key come in the order of the commits",
	"O7":  "a command has the same bytes at every request",
	"O8":  "every request stands for an attempt that is recorded, and every recorded answer was given",
	"O9":  "every command ends delivered",
	"O10": "every kind of fault has landed",
}

// row is a command in the outbox, with what the soak has counted of it.
type row struct {
	ID, Node, Destination, Who, State  string
	Attempts                           int
	Receipt                            []byte
	LastError                          *string
	Claims, Released, Answered, Failed int
}

// lostMarks are claims of which nothing was recorded: their relay died or was cut off, or they ran out.
func (r *row) lostMarks() int { return r.Claims - r.Released - r.Answered - r.Failed }

// facts are what is judged. What the receiver knew before may be less than the outbox has, what it knows after it may
// be more.
type facts struct {
	before, after known
	rows          []row
	completed     map[int64]bool // steps
	acknowledged  int64          // the steps below it are
	atEnd         bool           // nothing is under way any more
}

// load reads the outbox and the steps, in one snapshot.
func (f *facts) load(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	rows, err := tx.Query(ctx, `SELECT command_id, node, destination, who, state, attempts, receipt, last_error, claims, released, answered, failed FROM soak_commands`)
	if err != nil {
		return err
	}
	if f.rows, err = pgx.CollectRows(rows, pgx.RowToStructByPos[row]); err != nil {
		return err
	}
	rows, err = tx.Query(ctx, `SELECT (input ->> 'N')::bigint FROM idem.steps WHERE state = 'completed'`)
	if err != nil {
		return err
	}
	f.completed = map[int64]bool{}
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&n}, func() error {
		f.completed[n] = true
		return nil
	})
	return err
}

// judge returns the oracles that do not hold, in their order, and of each the first cases in the order of their names.
func (f *facts) judge() []finding.Violation {
	v := violations{}
	queued := map[string]int{}
	known := make(map[string]bool, len(f.rows))
	for i := range f.rows {
		r := &f.rows[i]
		queued[r.Who]++
		known[r.ID] = true
		f.judgeRow(v, r)
	}
	for _, id := range slices.Sorted(maps.Keys(f.before.commands)) {
		if !known[id] {
			v.add("O3", "%s is not in the outbox", id)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(f.after.effects)) {
		if n := f.after.effects[of]; n > 1 {
			v.add("O4", "%s had its effect %d times", of, n)
		}
	}
	f.judgeSteps(v, queued)
	return append(v.list(), f.after.violated...)
}

func (f *facts) judgeSteps(v violations, queued map[string]int) {
	for _, n := range slices.Sorted(maps.Keys(f.completed)) {
		for item := range commands.PerStep {
			if got := queued[commands.Who(n, item)]; got != 1 {
				v.add("O1", "%s is in the outbox %d times", commands.Who(n, item), got)
			}
		}
	}
	for n := int64(0); f.atEnd && n < f.acknowledged; n++ {
		if !f.completed[n] {
			v.add("O1", "step %d is acknowledged and not completed", n)
		}
	}
}

func (f *facts) judgeRow(v violations, r *row) {
	first, _, _ := strings.Cut(r.Who, "-")
	if n, err := strconv.ParseInt(first, 10, 64); err != nil || !f.completed[n] {
		v.add("O2", "%s of %q is in the outbox, and its step is not completed", r.ID, r.Who)
	}
	delivered := r.State == string(outbox.StateDelivered)
	if n := f.after.effects[r.Who]; n == 0 && (delivered || f.atEnd) {
		v.add("O4", "%s is %s and had no effect", r.Who, r.State)
	}
	before, after := f.before.commands[r.ID], f.after.commands[r.ID]
	if delivered && (after.receipt == "" || receiptOf(r.Receipt) != after.receipt) {
		v.add("O5", "%s has the receipt %q, the receiver gave %q", r.Who, r.Receipt, after.receipt)
	}
	switch {
	case before.requests > r.Attempts:
		v.add("O8", "the receiver saw %d requests of %s, %d attempts are recorded", before.requests, r.Who, r.Attempts)
	case r.Answered > after.answered:
		v.add("O8", "%d answers are recorded of %s, the receiver gave %d", r.Answered, r.Who, after.answered)
	case r.Attempts != r.Claims-r.Released || r.lostMarks() < 0:
		v.add("O8", "%s has %d attempts after %d claims, of which %d were given back, %d answered and %d failed",
			r.Who, r.Attempts, r.Claims, r.Released, r.Answered, r.Failed)
	}
	if f.atEnd && !delivered {
		v.add("O9", "%s is %s after %d attempts: %s", r.Who, r.State, r.Attempts, orNone(r.LastError))
	}
}

func orNone(text *string) string {
	if text == nil {
		return "no error"
	}
	return *text
}

// receiptOf returns what the receiver said, of what is stored.
func receiptOf(stored []byte) string {
	var r httpsender.Receipt
	if json.Unmarshal(stored, &r) != nil {
		return ""
	}
	return r.Body
}

// notLanded asks O10.
func notLanded(planned []fault.Fault, landed map[fault.Kind]int) finding.Violation {
	return mix.Missed("O10", planned, landed)
}

// violations collects them by oracle.
type violations map[string]*finding.Violation

func (v violations) add(oracle, format string, args ...any) {
	if v[oracle] == nil {
		v[oracle] = &finding.Violation{Oracle: oracle}
	}
	v[oracle].Add(fmt.Sprintf(format, args...))
}

func (v violations) list() (list []finding.Violation) {
	for _, oracle := range slices.Sorted(maps.Keys(v)) {
		list = append(list, *v[oracle])
	}
	return list
}
