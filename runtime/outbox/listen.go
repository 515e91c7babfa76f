package outbox

import (
	"context"

	"github.com/idem-go/idem/runtime/internal/listen"
	"github.com/idem-go/idem/runtime/internal/store"
)

// listen wakes the claims when commands are announced. It is an optimisation: without it, or while it is
// reconnecting, polling finds the same commands later.
func (r *Relay) listen(ctx context.Context) {
	l := listen.Listener{
		Config: r.base.ConnConfig, Channel: store.Channel(r.cfg.Schema), Log: r.log,
		Ready: r.Wake,
		Notified: func(payload string) {
			if payload == r.table.wakes() {
				r.Wake()
			}
		},
	}
	l.Run(ctx)
}
