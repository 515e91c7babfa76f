package commands

import (
	"fmt"

	"github.com/idem-go/idem/runtime"
)

// Input is what a step is told.
type Input struct {
	N        int64
	Receiver string // its URL
}

// Key makes the enqueueing of one step, however often it is tried, one run.
func Key(in Input) []runtime.EnqueueOption {
	return []runtime.EnqueueOption{runtime.WithKey("soak", fmt.Sprint(in.N))}
}

// Each step queues as many commands, of which the last ones are kept in order.
const (
	PerStep = 5
	ordered = 2
)

// Who names a command by what it is about, and not by its id: the number of its step and its place in it.
func Who(step int64, item int) string { return fmt.Sprintf("%d-%d", step, item) }

// keys is how many keys are shared by the steps of [Tell].
const keys = 40

// Announce queues notices, and changes under a key of its own. It uses no transaction, so that its steps are completed in
// groups.
//
//idem:action announce timeout=2s max_attempts=1000 backoff=100ms max_reclaims=1000
func Announce(ctx runtime.Context, in Input) error {
	if err := queueNotices(ctx, in); err != nil {
		return err
	}
	return queueChanges(ctx, in, fmt.Sprintf("step-%d", in.N), 1)
}

// Tell queues notices, and changes under a key that it shares with other steps. Their order is made as applications make
// it: whoever changes a key locks it.
//
//idem:action tell timeout=2s max_attempts=1000 backoff=100ms max_reclaims=1000
func Tell(ctx runtime.Context, in Input) error {
	if err := queueNotices(ctx, in); err != nil {
		return err
	}
	key := fmt.Sprintf("key-%d", in.N%keys)
	var last int64
	err := ctx.CompletionTx().QueryRow(ctx, `INSERT INTO soak_keys AS k (key, position) VALUES ($1, $2)
ON CONFLICT (key) DO UPDATE SET position = k.position + EXCLUDED.position RETURNING position`, key, ordered).Scan(&last)
	if err != nil {
		return err
	}
	return queueChanges(ctx, in, key, last-ordered+1)
}

func queueNotices(ctx runtime.Context, in Input) error {
	const notices = PerStep - ordered
	for item := range notices {
		n := Notice{Destination: destination(in.Receiver, in.N*notices+int64(item)), Item: item, Who: Who(in.N, item)}
		if err := QueueNotice(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// queueChanges queues changes under key with the positions from first on, all to the same destination.
func queueChanges(ctx runtime.Context, in Input, key string, first int64) error {
	for i := range ordered {
		item := PerStep - ordered + i
		c := Change{
			Destination: fastDestination(in.Receiver, in.N%keys), Item: item,
			Who: Who(in.N, item), Key: key, Position: first + int64(i),
		}
		if err := QueueChange(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
