package watermillsender_test

import (
	"context"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/watermillsender"
)

// natsRelay makes a relay that sends events to a stream of JetStream, which remembers ids for two minutes. NewEventRelay
// is generated. The publisher stays the caller's, to be closed after the relay has stopped.
func natsRelay(pool *pgxpool.Pool, publisher message.Publisher) (*outbox.Relay, error) {
	sender, err := watermillsender.New(publisher, watermillsender.Config{})
	if err != nil {
		return nil, err
	}
	return NewEventRelay(pool, sender, outbox.Config{Window: 2 * time.Minute})
}

// A command goes from its table into the stream.
func TestJetStreamByRelay(t *testing.T) {
	t.Parallel()
	url, stream := startNATS(t, 2*time.Minute)
	b := newBench(t)
	b.queue("one", Event{Topic: "orders.placed", Customer: "ann", Payload: []byte(`{"order":"o-1"}`)})
	publisher, err := natsPublisher(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = publisher.Close() }()
	relay, err := natsRelay(b.pool, publisher)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- relay.Run(ctx) }()
	b.delivered(1)
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if n := stored(t, stream); n != 1 {
		t.Errorf("%d messages in the stream, want one", n)
	}
}
