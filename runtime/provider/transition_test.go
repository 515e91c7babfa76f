package provider_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime/provider"
)

var allStates = []provider.State{
	provider.StatePrepared, provider.StateConfirmed, provider.StateUnknown,
	provider.StateReconciled, provider.StateRejected, provider.StateCompensated,
}

// legal are the transitions that an intent may make. The same state again is none; nothing leaves compensated.
var legal = map[provider.State][]provider.State{
	provider.StatePrepared:   {provider.StatePrepared, provider.StateConfirmed, provider.StateUnknown, provider.StateRejected},
	provider.StateUnknown:    {provider.StateUnknown, provider.StateReconciled, provider.StateRejected},
	provider.StateConfirmed:  {provider.StateConfirmed, provider.StateCompensated},
	provider.StateReconciled: {provider.StateReconciled, provider.StateCompensated},
	provider.StateRejected:   {provider.StateRejected},
}

// pathTo is a legal way to a state.
var pathTo = map[provider.State][]provider.State{
	provider.StateConfirmed:   {provider.StateConfirmed},
	provider.StateUnknown:     {provider.StateUnknown},
	provider.StateReconciled:  {provider.StateUnknown, provider.StateReconciled},
	provider.StateRejected:    {provider.StateRejected},
	provider.StateCompensated: {provider.StateConfirmed}, // and its compensation, which does the rest
}

// intentRow writes intents by SQL alone.
type intentRow struct {
	b   *bench
	key string
}

const insertIntent = `INSERT INTO idem.intents (key, run_id, node, provider, item, generation, compensates, state, epoch, owner, request, request_digest,
    actor, reason, undoable, settled_at)
VALUES ($1, 'run', 'node', 'p', $2, $3, NULLIF($4, ''), $5, $6, 'o', '{}', sha256('{}'), 'test', 'test', true,
    CASE WHEN $5::text IN ('prepared', 'unknown') THEN NULL ELSE now() END)`

func (b *bench) insert(key, item string, generation int, compensates string, state provider.State, epoch int) error {
	_, err := b.pool.Exec(context.Background(), insertIntent, key, item, generation, compensates, string(state), epoch)
	return err
}

// newIntent makes an intent and brings it to a state.
func (b *bench) newIntent(key string, state provider.State) intentRow {
	b.Helper()
	row := intentRow{b, key}
	if err := b.insert(key, key, 1, "", provider.StatePrepared, 1); err != nil {
		b.Fatal(err)
	}
	for _, s := range pathTo[state] {
		if err := row.to(s); err != nil {
			b.Fatal(err)
		}
	}
	if state == provider.StateCompensated {
		row.compensate()
	}
	return row
}

// compensate confirms a compensation.
func (r intentRow) compensate() {
	r.b.Helper()
	if err := r.b.insert(r.key+" undo", r.key, 1, r.key, provider.StatePrepared, 1); err != nil {
		r.b.Fatal(err)
	}
	if err := (intentRow{r.b, r.key + " undo"}).to(provider.StateConfirmed); err != nil {
		r.b.Fatal(err)
	}
}

func (r intentRow) to(state provider.State) error {
	return r.update(`state = $2, settled_at = CASE WHEN $2::text IN ('prepared', 'unknown') THEN NULL ELSE COALESCE(settled_at, now()) END`, string(state))
}

// update changes columns of the row, and raises its epoch.
func (r intentRow) update(set string, args ...any) error {
	_, err := r.b.pool.Exec(context.Background(), `UPDATE idem.intents SET epoch = epoch + 1, `+set+` WHERE key = $1`, append([]any{r.key}, args...)...)
	return err
}

func refused(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "ID002"
}

// The database itself refuses every transition that is not legal, whoever asks for it.
func TestEveryTransition(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, from := range allStates {
		for _, to := range allStates {
			row := b.newIntent(fmt.Sprintf("%s to %s", from, to), from)
			err := row.to(to)
			allowed := slices.Contains(legal[from], to)
			// Nothing is compensated but by a confirmed compensation, which does it.
			switch {
			case to == provider.StateCompensated && allowed:
				if !refused(err) {
					t.Errorf("%s is compensated without a compensation: %v", from, err)
				}
				row.compensate()
			case allowed && err != nil:
				t.Errorf("from %s to %s: %v", from, to, err)
			case !allowed && !refused(err):
				t.Errorf("from %s to %s is not refused: %v", from, to, err)
			}
			want := from
			if allowed {
				want = to
			}
			if in := b.went(row.key, b.states(row.key)...); in.State != want {
				t.Errorf("from %s to %s: it is %s", from, to, in.State)
			}
		}
	}
}

// states returns what an intent's history says.
func (b *bench) states(key string) (states []provider.State) {
	_, events, err := b.operator.Show(context.Background(), key)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range events {
		if len(states) == 0 || states[len(states)-1] != e.To {
			states = append(states, e.To)
		}
	}
	return states
}

func TestIntentsBeginAsPrepared(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, state := range allStates[1:] {
		if err := b.insert(string(state), "", 1, "", state, 1); !refused(err) {
			t.Errorf("an intent begins as %s: %v", state, err)
		}
	}
	if err := b.insert("late", "", 1, "", provider.StatePrepared, 2); !refused(err) {
		t.Errorf("an intent begins at epoch 2: %v", err)
	}
}

// A generation follows only a rejection, one after the other.
func TestGenerationsFollowRejections(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, state := range allStates {
		key := string(state)
		b.newIntent(key, state)
		if err := b.insert(key+" 2", key, 2, "", provider.StatePrepared, 1); (err == nil) != (state == provider.StateRejected) {
			t.Errorf("after %s: %v", state, err)
		}
		if err := b.insert(key+" 3", key, 3, "", provider.StatePrepared, 1); !refused(err) {
			t.Errorf("after %s, two at once: %v", state, err)
		}
		if err := b.insert(key+" other", "other", 2, "", provider.StatePrepared, 1); !refused(err) {
			t.Errorf("of another call: %v", err)
		}
	}
}

// Only what was done can be compensated.
func TestCompensationsNeedACallThatStands(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, state := range allStates {
		key := string(state)
		b.newIntent(key, state)
		err := b.insert(key+" x", key, 1, key, provider.StatePrepared, 1)
		if stands := state == provider.StateConfirmed || state == provider.StateReconciled; stands != (err == nil) {
			t.Errorf("of a call that is %s: %v", state, err)
		}
	}
}

// What an intent is about, what is known of it, and its history do not change; the epoch grows by one.
func TestIntentsKeepWhatTheySay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	open, done := b.newIntent("open", provider.StateUnknown), b.newIntent("done", provider.StatePrepared)
	if err := done.update(`state = 'confirmed', settled_at = now(), receipt = '1'`); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{
		`key = 'x'`, `run_id = 'x'`, `node = 'x'`, `provider = 'x'`, `item = 'x'`, `generation = 2`, `compensates = 'done'`,
		`request = '{} '`, `request_digest = sha256('x')`, `undoable = false`, `created_at = now() + interval '1 s'`,
	} {
		if err := open.update(set); !refused(err) {
			t.Errorf("%s: %v", set, err)
		}
	}
	for _, set := range []string{`receipt = '2'`, `receipt = NULL`, `receipt = '1 '`} {
		if err := done.update(set); !refused(err) {
			t.Errorf("%s: %v", set, err)
		}
	}
	for _, sql := range []string{
		`UPDATE idem.intents SET epoch = epoch + 2`, `UPDATE idem.intents SET reason = 'x'`, `UPDATE idem.intents SET epoch = 1`,
		`DELETE FROM idem.intents WHERE key = 'open'`, `UPDATE idem.intent_events SET reason = 'x'`,
	} {
		if _, err := b.pool.Exec(t.Context(), sql); !refused(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	b.exec(`DELETE FROM idem.intents WHERE key = 'done'`) // retention may
	b.went("open", provider.StatePrepared, provider.StateUnknown)
}
