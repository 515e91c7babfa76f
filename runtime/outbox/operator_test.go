package outbox_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/outbox"
)

func TestOperatorFindsOutboxes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := context.Background()
	op := outbox.NewOperator(b.pool, "")
	b.exec(`CREATE TABLE pings_archive (LIKE pings)`)
	b.exec(`CREATE SCHEMA billing`)
	b.exec(`CREATE TABLE billing.pings (LIKE pings INCLUDING ALL)`)
	b.exec(`CREATE TABLE commands (command_id text PRIMARY KEY, state text)`)
	if tables := must(op.Tables(ctx)); !slices.Equal(tables, []string{"billing.pings", "notes", "pings", "webhook_outbox"}) {
		t.Errorf("found %v", tables)
	}
	b.finished(3)
	b.exec(`INSERT INTO billing.pings SELECT * FROM pings WHERE state IN ('dead', 'parked')`)
	b.queuePing("due", "http://a", 1)
	b.queuePing("held", "http://a", 2)
	b.queuePing("later", "http://a", 3)
	b.exec(`UPDATE pings SET next_attempt_at = now() + interval '1 hour', created_at = now() - interval '2 hours' WHERE n = 3 AND state = 'pending'`)
	b.exec(`UPDATE pings SET next_attempt_at = now() + interval '1 hour', claim_expires_at = now() + interval '1 hour' WHERE n = 2 AND state = 'pending'`)
	all := must(op.Status(ctx, "pings", "billing.pings", "notes"))
	if s := all[0]; s.Table != "pings" || s.Counts[outbox.StatePending] != 3 || s.Due != 1 || s.Held != 1 || s.Counts[outbox.StateDead] != 6 ||
		s.Oldest < 2*time.Hour || s.Oldest > 3*time.Hour {
		t.Errorf("%+v", s)
	}
	if s := all[1]; s.Counts[outbox.StateParked] != 6 || s.Counts[outbox.StatePending] != 0 || s.Oldest != 0 {
		t.Errorf("%+v", s)
	}
	if s := all[2]; len(s.Counts) != 0 {
		t.Errorf("%+v", s)
	}
	if _, err := op.Status(ctx, "commands"); !errors.Is(err, outbox.ErrNoOutbox) || !strings.Contains(err.Error(), "webhook_outbox") {
		t.Errorf("a table that is none: %v", err)
	}
}

func TestOperatorListsAndShows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := context.Background()
	op := outbox.NewOperator(b.pool, "")
	b.finished(3)
	b.queuePing("one", "http://secret", 7)
	for name, tt := range map[string]struct {
		filter outbox.Filter
		want   int
	}{
		"in trouble":      {outbox.Filter{}, 24},
		"all":             {outbox.Filter{All: true}, 31},
		"two states":      {outbox.Filter{States: []outbox.State{outbox.StateDead, outbox.StatePending}}, 7},
		"no ids":          {outbox.Filter{IDs: []string{}, States: []outbox.State{outbox.StateDead}}, 6},
		"a few":           {outbox.Filter{Limit: 5}, 5},
		"by id":           {outbox.Filter{IDs: []string{"delivered11", "dead302", "none"}}, 2},
		"by id and state": {outbox.Filter{IDs: []string{"delivered11", "dead302"}, States: []outbox.State{outbox.StateDead}}, 1},
		"elsewhere":       {outbox.Filter{Tables: []string{"notes"}, All: true}, 0},
	} {
		if list := must(op.List(ctx, tt.filter)); len(list) != tt.want {
			t.Errorf("%s: %d commands, want %d", name, len(list), tt.want)
		}
	}
	id := b.rows("pings")[slices.IndexFunc(b.rows("pings"), func(r row) bool { return r.State == "pending" })].ID
	e, history, err := op.Show(ctx, id)
	if err != nil || e.ID != id || e.Table != "pings" || e.RunID != "one" || e.FirstAttemptAt != nil || e.FinishedAt != nil || len(history) != 0 {
		t.Errorf("%+v, %v, %v", e, history, err)
	}
	if _, _, err := op.Show(ctx, "none"); !errors.Is(err, outbox.ErrNotFound) {
		t.Errorf("of nothing: %v", err)
	}
	if p := must(op.Payload(ctx, e)); !strings.Contains(string(p.Columns), "http://secret") || strings.Contains(string(p.Columns), "command_id") || p.Receipt != nil {
		t.Errorf("payload %s", p.Columns)
	}
	ids := must(outbox.Replay(ctx, b.pool, outbox.ReplayRequest{Table: "pings", IDs: []string{"dead12"}, Actor: "ann", Reason: "they are back"}))
	e, history, err = op.Show(ctx, "dead12")
	if err != nil || len(ids) != 1 || e.State != outbox.StatePending || len(history) != 1 {
		t.Fatalf("%v: %+v, %v, %v", ids, e, history, err)
	}
	if h := history[0]; h.Event != "replayed" || h.Actor != "ann" || h.Reason != "they are back" || h.StateBefore != outbox.StateDead || h.At.IsZero() {
		t.Errorf("%+v", h)
	}
}
