package watermillsender

import (
	"context"
	"errors"
	"fmt"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/idem-go/idem/runtime/outbox"
)

// publication is one call of Publish. It may outlive the send that made it: Publish takes no context, and many a
// publisher looks at no message's either.
type publication struct {
	done chan struct{}
	err  error // once done
}

// errNoAnswer is what a publisher leaves that ends its goroutine.
var errNoAnswer = errors.New("idem: the publisher did not return")

// publication returns the call of Publish for a command: the one that is still under way from an earlier send, else a new
// one. So a publisher that hangs is not handed the command again and again, and what it brings to an end late is not
// sent twice.
func (s *Sender) publication(ctx context.Context, topic string, c outbox.Command) (*publication, error) {
	if p := s.find(c.ID); p != nil {
		return p, nil
	}
	select {
	case s.places <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("idem: not sent, %d calls of the publisher have not returned: %w", cap(s.places), ctx.Err())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.underWay[c.ID]; p != nil { // another send was faster
		<-s.places
		return p, nil
	}
	p := &publication{done: make(chan struct{})}
	s.underWay[c.ID] = p
	go s.publish(p, topic, s.message(ctx, c))
	return p, nil
}

func (s *Sender) find(id string) *publication {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.underWay[id]
}

// publish makes the call. Whatever becomes of it, somebody is told.
func (s *Sender) publish(p *publication, topic string, m *message.Message) {
	id := m.UUID // a publisher may change the message
	p.err = errNoAnswer
	defer func() {
		if v := recover(); v != nil {
			p.err = fmt.Errorf("idem: the publisher panicked: %v", v)
		}
		s.mu.Lock()
		delete(s.underWay, id)
		s.mu.Unlock()
		<-s.places
		close(p.done)
	}()
	p.err = s.publisher.Publish(topic, m)
}
