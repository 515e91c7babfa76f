package attemptkey_sinks

import (
	"context"
	"net/http"
	"strconv"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/restatedev/sdk-go"
	"github.com/riverqueue/river"
)

type Args struct{ ID string }

func (Args) Kind() string { return "x" }

type Worker struct{ river.WorkerDefaults[Args] }

type Fields map[string]any

func (w *Worker) Work(ctx context.Context, job *river.Job[Args]) error {
	key := job.Args.ID + "/" + strconv.Itoa(job.Attempt)
	h := http.Header{}
	h["Idempotency-Key"] = []string{key} // want `\[attemptkey\]`
	h.Add("X-Idempotency-Key", key)      // want `\[attemptkey\]`
	_ = &nats.Msg{Header: nats.Header{
		nats.MsgIdHdr: []string{key}, // want `\[attemptkey\]`
		"X-Attempt":   []string{key},
	}}
	_ = map[string]any{
		"idempotency_key": key, // want `\[attemptkey\]`
		"attempt":         job.Attempt,
	}
	m := message.NewMessage(job.Args.ID, nil)
	m.Metadata.Set("deduplication_id", key) // want `\[attemptkey\]`
	m.Metadata.Set("correlation_id", key)
	_ = nats.MsgId(key)                 // want `\[attemptkey\]`
	_ = restate.WithIdempotencyKey(key) // want `\[attemptkey\]`
	return nil
}
