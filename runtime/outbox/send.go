package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/internal/probe"
)

// send sends what the lanes give, one command at a time.
func (r *Relay) send() {
	for c := range r.lanes.work {
		began := time.Now()
		switch {
		case r.outOfTime(c):
			r.lanes.sent(c, nil, began)
			r.release(c)
			continue
		case r.exhausted(c):
			r.lanes.sent(c, nil, began)
			continue
		}
		probe.At(probe.RelayBeforeSend, c.RunID, c.Node)
		o := r.sendOnce(c)
		probe.At(probe.RelayAfterSend, c.RunID, c.Node)
		ended := time.Now()
		c.duration = ended.Sub(began)
		v := r.lanes.sent(c, &o, ended)
		r.results <- r.outcome(c, o)
		r.note(c, v)
	}
}

// note acts on what an outcome means for the destination.
func (r *Relay) note(c *claimed, v verdictOnLane) {
	for _, waiting := range v.released {
		r.release(waiting)
	}
	switch {
	case v.opened > 0:
		r.observe(Event{Kind: EventOpened, Destination: c.To, Delay: v.opened})
		r.log.Warn("idem: a destination fails or asked for peace, it is left alone for a while", "command_id", c.ID, "pause", v.opened)
	case v.closed:
		r.observe(Event{Kind: EventClosed, Destination: c.To})
		r.log.Info("idem: a destination works again", "command_id", c.ID)
		r.Wake()
	}
}

// sendOnce calls the sender. A panic leaves the outcome unknown.
func (r *Relay) sendOnce(c *claimed) (o Outcome) {
	ctx, cancel := context.WithTimeout(r.sends, r.cfg.SendTimeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			o = Unknown(fmt.Errorf("idem: the sender panicked: %v", v))
		}
	}()
	return r.sender.Send(ctx, c.Command)
}

// exhausted returns a command up that must not be sent again: earlier sends may have been by relays that died of
// it, and those are counted too.
func (r *Relay) exhausted(c *claimed) bool {
	var err error
	switch {
	case c.Attempt > r.cfg.MaxAttempts:
		err = fmt.Errorf("idem: %d sends ended without an outcome, as when relays die while sending", c.Attempt-1)
	case c.Attempt > 1 && r.pastWindow(c, 0):
		err = errPastWindow
	default:
		return false
	}
	r.results <- result{c: c, state: StateDead, event: EventDead, unsent: true, err: err}
	return true
}

// pastWindow reports whether the receiver may have forgotten the command's id by the time that delay is over.
func (r *Relay) pastWindow(c *claimed, delay time.Duration) bool {
	window := r.cfg.Window - r.cfg.Window/10
	return window > 0 && c.since+time.Since(c.claimed)+delay > window
}
