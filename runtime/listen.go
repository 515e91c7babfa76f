package runtime

import (
	"context"

	"github.com/idem-go/idem/runtime/internal/listen"
)

// listen wakes the claim loops when steps are announced. It is an optimisation: without it, or while it is
// reconnecting, polling finds the same steps later.
func (w *Worker) listen(ctx context.Context) {
	l := listen.Listener{
		Config: w.base.ConnConfig, Channel: w.sql.channel, Log: w.log,
		Ready: func() {
			for _, q := range w.queues {
				q.announce()
			}
		},
		Notified: func(queue string) {
			if q := w.queues[queue]; q != nil {
				q.announce()
			}
		},
	}
	l.Run(ctx)
}
