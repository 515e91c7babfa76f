package watermillsender

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/idem-go/idem/runtime/outbox"
)

// Config sets a sender up. The zero value publishes to the topic that is a command's destination.
type Config struct {
	// Topic returns a command's topic. It must be the same at every send. A command without one is parked. Default: the
	// command's destination.
	Topic func(c outbox.Command) string
	// Metadata returns further metadata for a command's message. It must be the same at every send. What this package sets
	// wins.
	Metadata func(c outbox.Command) message.Metadata
	// MaxUnderWay bounds the calls of Publish that have not returned, with those that the relay does not wait for any
	// more. Default: 1024.
	MaxUnderWay int
}

// Sender is an [outbox.Sender].
type Sender struct {
	publisher message.Publisher
	cfg       Config
	places    chan struct{} // one for each call of Publish that may be under way

	mu       sync.Mutex
	underWay map[string]*publication // by command id
}

var _ outbox.Sender = (*Sender)(nil)

// New makes a sender of a publisher. The publisher stays the caller's: close it when no relay runs with it any more.
func New(publisher message.Publisher, cfg Config) (*Sender, error) {
	if publisher == nil {
		return nil, errors.New("idem: a sender needs a publisher")
	}
	if cfg.MaxUnderWay < 0 {
		return nil, errors.New("idem: watermillsender.Config.MaxUnderWay is negative")
	}
	if cfg.MaxUnderWay == 0 {
		cfg.MaxUnderWay = 1024
	}
	if cfg.Topic == nil {
		cfg.Topic = func(c outbox.Command) string { return c.To }
	}
	return &Sender{
		publisher: publisher, cfg: cfg,
		places: make(chan struct{}, cfg.MaxUnderWay), underWay: map[string]*publication{},
	}, nil
}

// Receipt is what is stored of an acceptance, as JSON. A publisher says no more than that it has none against it.
type Receipt struct {
	Topic string `json:"topic"`
}

// Send implements [outbox.Sender]. It ends when ctx does, whether or not Publish has returned by then.
func (s *Sender) Send(ctx context.Context, c outbox.Command) outbox.Outcome {
	topic := s.cfg.Topic(c)
	if topic == "" {
		return outbox.Parked(errors.New("idem: the command has no topic; give its table a destination, or set watermillsender.Config.Topic"))
	}
	p, err := s.publication(ctx, topic, c)
	if err != nil {
		return outbox.Unknown(err)
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return outbox.Unknown(fmt.Errorf("idem: the publisher has not returned in time: %w", ctx.Err()))
	}
	if p.err != nil {
		return outbox.Unknown(p.err)
	}
	receipt, err := json.Marshal(Receipt{Topic: topic})
	if err != nil { // of a string nothing fails
		receipt = nil
	}
	return outbox.Confirmed(receipt)
}
