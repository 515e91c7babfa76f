package provider

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
)

// State is where an intent is in its life.
type State string

// The states. What is known for good is confirmed, reconciled, rejected or compensated.
const (
	StatePrepared    State = "prepared"    // about to be sent, under way, or its execution has died
	StateConfirmed   State = "confirmed"   // done; the answer came at once
	StateUnknown     State = "unknown"     // perhaps done
	StateReconciled  State = "reconciled"  // done; it was unknown before
	StateRejected    State = "rejected"    // definitely not done
	StateCompensated State = "compensated" // done, and taken back
)

// Open reports whether the outcome is not known yet.
func (s State) Open() bool { return s == StatePrepared || s == StateUnknown }

// done reports whether the call was done and stands.
func (s State) done() bool { return s == StateConfirmed || s == StateReconciled }

// Intent is one call of a provider under one key.
type Intent struct {
	Key         string
	RunID       string
	Node        string
	Provider    string
	Item        string
	Generation  int
	Compensates string // the key of the call that this one takes back; "" for a call
	State       State
	Epoch       int64 // grows with every change
	Request     json.RawMessage
	Digest      []byte          // of the request
	Receipt     json.RawMessage // nil without one
	Actor       string          // who made the last change
	Reason      string          // and why
	Undoable    bool
	Quarantined bool // the provider knows the key with another payload
	Dispatches  int  // how often it was sent, or about to be
	Checks      int  // how often it was found unknown

	DispatchedAt *time.Time // nil: nothing has left
	WindowEndsAt *time.Time // nil: the provider honours no keys
	WindowOpen   bool       // at the time of the query
	NotBefore    *time.Time // nothing is sent earlier
	CreatedAt    time.Time
	SettledAt    *time.Time

	owner string
	// By the database's clock, at the time of the query; 0 or below when there is nothing to wait for.
	windowLeft, embargo, quiet time.Duration
}

// Event is a row of an intent's history.
type Event struct {
	Epoch      int64
	From       State // "" when the intent was made
	To         State
	Dispatches int
	At         time.Time
	Actor      string
	Reason     string
}

const intentColumns = `key, run_id, node, provider, item, generation, COALESCE(compensates, ''), state, epoch, request, request_digest, receipt,
    actor, reason, undoable, quarantined, dispatches, checks, dispatched_at, window_ends_at, not_before, created_at, settled_at, owner,
    COALESCE((EXTRACT(EPOCH FROM window_ends_at - clock_timestamp()) * 1000000)::bigint, 0),
    COALESCE((EXTRACT(EPOCH FROM not_before - clock_timestamp()) * 1000000)::bigint, 0),
    COALESCE((EXTRACT(EPOCH FROM clock_timestamp() - dispatched_at) * 1000000)::bigint, 0)`

func scanIntent(row pgx.CollectableRow) (in Intent, err error) {
	var request, receipt []byte
	var window, embargo, quiet int64
	err = row.Scan(&in.Key, &in.RunID, &in.Node, &in.Provider, &in.Item, &in.Generation, &in.Compensates, &in.State, &in.Epoch,
		&request, &in.Digest, &receipt, &in.Actor, &in.Reason, &in.Undoable, &in.Quarantined, &in.Dispatches, &in.Checks,
		&in.DispatchedAt, &in.WindowEndsAt, &in.NotBefore, &in.CreatedAt, &in.SettledAt, &in.owner, &window, &embargo, &quiet)
	in.Request, in.Receipt = request, receipt
	in.windowLeft, in.embargo, in.quiet = micros(window), micros(embargo), micros(quiet)
	in.WindowOpen = in.windowLeft > 0
	return in, err
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
