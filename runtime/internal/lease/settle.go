package lease

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/value"
)

// Settle records the outcome of a step that was not completed, if it is still held.
func (k *Keeper) Settle(s *Held, o step.Outcome) {
	if o.Kind == step.Lost {
		k.Lost(s)
		return
	}
	held, err := k.record(s, o)
	if err == nil && !held {
		k.Lost(s)
		return
	}
	defer k.Finished(s)
	if err != nil {
		k.Log.Error("idem: a step could not be settled; the sweep will take it back", "run_id", s.RunID, "node", s.Node, "error", err)
		return
	}
	k.report(s, o)
	if o.State() == lifecycle.StatePending {
		time.AfterFunc(o.Delay, s.Place.Announce)
	}
}

// record writes the outcome; held reports whether the step was still this worker's.
func (k *Keeper) record(s *Held, o step.Outcome) (held bool, err error) {
	var rows int64
	text := errorText(o.Err)
	write := func(ctx context.Context) error {
		tag, err := k.Control.Exec(ctx, k.SQL.Settle, s.ID, s.Epoch, string(o.State()), string(o.Reason), one(o.Kind == step.Retried), one(o.Interrupted),
			o.Delay.Microseconds(), text, s.Attempt, string(o.Event()), string(o.Reason), k.Name, s.Reclaims)
		rows = tag.RowsAffected()
		return err
	}
	err = k.Stubborn(k.Lasting, "settle", write)
	if err != nil && text != nil && failure.Of(err) == failure.Statement {
		// The database's encoding may lack a character of the text.
		ascii := value.ASCII(*text)
		text = &ascii
		err = k.Stubborn(k.Lasting, "settle", write)
	}
	return rows > 0, err
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (k *Keeper) report(s *Held, o step.Outcome) {
	e := s.Event(o.Event())
	e.Reason, e.Err, e.Delay, e.Duration = o.Reason, o.Err, o.Delay, time.Since(s.Started)
	k.Observe(e)
	log := k.Log.With("run_id", s.RunID, "node", s.Node, "attempt", s.Attempt, "reason", string(o.Reason))
	switch o.Kind {
	case step.Released:
		log.Info("idem: step handed back", "error", o.Err)
	case step.Discarded:
		log.Error("idem: step discarded", "error", o.Err)
	default:
		log.Warn("idem: attempt failed", "error", o.Err, "next", o.Delay)
	}
	if panicked, ok := errors.AsType[*failure.PanicError](o.Err); ok {
		log.Error("idem: panic", "stack", string(panicked.Stack))
	}
}

// maxErrorText bounds what is stored of an error, in bytes.
const maxErrorText = 4096

func errorText(err error) *string {
	if err == nil {
		return nil
	}
	text := err.Error()
	if panicked, ok := errors.AsType[*failure.PanicError](err); ok {
		text += "\n" + string(panicked.Stack)
	}
	text = value.Storable(text, maxErrorText)
	return &text
}

// ReadBack reads a step's row again: held, it is as the claim left it; done, this worker's completion is
// committed, for nobody else can raise the epoch from ours to the next with the state completed.
func (k *Keeper) ReadBack(s *Held) (held, done bool, err error) {
	var state lifecycle.State
	var epoch int64
	err = k.Stubborn(k.Lasting, "read back", func(ctx context.Context) error {
		return k.Control.QueryRow(ctx, k.SQL.ReadBack, s.ID).Scan(&state, &epoch)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, nil
	}
	return epoch == s.Epoch, epoch == s.Epoch+1 && state == lifecycle.StateCompleted, err
}

// Resolve finds out what became of a commit whose answer was lost. The step's row is the record of it.
func (k *Keeper) Resolve(s *Held, lost error) {
	switch held, done, err := k.ReadBack(s); {
	case err != nil:
		k.Log.Error("idem: the outcome of a commit is not known, and the database does not answer; the sweep will take the step back if it is open",
			"run_id", s.RunID, "node", s.Node, "error", err)
		k.Finished(s)
	case done:
		k.Completed(s)
	case held:
		// The transaction is not committed. Should the server still be about to do so, settling waits for
		// it at the row, and then finds that the step is not held any more.
		k.Settle(s, s.Execution().Judge(&failure.Interrupted{Err: lost}))
	default:
		k.Lost(s)
	}
}

// Doubt marks a step whose completion may be committed, since the server did not answer.
func (k *Keeper) Doubt(s *Held) {
	s.Doubts++
	k.Observe(s.Event(lifecycle.EventUnknown))
}

// Lost ends the care for a step whose fence has refused. If a commit's answer had been lost before,
// the refusal may be the effect of that commit.
func (k *Keeper) Lost(s *Held) {
	if s.Doubts > 0 {
		if _, done, err := k.ReadBack(s); err == nil && done {
			k.observeCompleted(s, 0)
			k.Finished(s)
			return
		}
	}
	k.Observe(s.Event(lifecycle.EventLeaseLost))
	k.Log.Warn("idem: lease lost, this execution's writes are rolled back", "run_id", s.RunID, "node", s.Node, "attempt", s.Attempt)
	k.Finished(s)
}

// Completed ends the care for a step whose completion is committed.
func (k *Keeper) Completed(s *Held) {
	probe.At(probe.CommitAfter, s.RunID, s.Node)
	ex := s.Execution()
	k.observeCompleted(s, ex.Trips())
	writes := ex.Writes()
	for i := range writes {
		if queue := writes[i].Wakes; queue != "" {
			k.Announce(queue)
		}
	}
	k.Finished(s)
}

func (k *Keeper) observeCompleted(s *Held, trips int) {
	e := s.Event(lifecycle.EventCompleted)
	e.Duration, e.Trips = time.Since(s.Started), trips
	k.Observe(e)
}
