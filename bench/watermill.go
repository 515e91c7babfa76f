package main

import (
	"context"
	"errors"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/outbox"
)

const watermillTopic = "commands"

// watermillRun is a subscriber of watermill-sql that posts its messages. It gives them one at a time.
type watermillRun struct {
	queue bool // each message is deleted when it is done; else positions are kept per consumer group
	batch int
	slow  bool
}

func (w watermillRun) adapters() (wsql.SchemaAdapter, wsql.OffsetsAdapter) {
	if w.queue {
		return wsql.PostgreSQLQueueSchema{SubscribeBatchSize: w.batch}, wsql.PostgreSQLQueueOffsetsAdapter{DeleteOnAck: true}
	}
	return wsql.DefaultPostgreSQLSchema{SubscribeBatchSize: w.batch}, wsql.DefaultPostgreSQLOffsetsAdapter{}
}

func (w watermillRun) subscriber(pool *pgxpool.Pool) (*wsql.Subscriber, error) {
	schema, offsets := w.adapters()
	cfg := wsql.SubscriberConfig{SchemaAdapter: schema, OffsetsAdapter: offsets, InitializeSchema: true, PollInterval: 10 * time.Millisecond}
	if !w.queue {
		cfg.ConsumerGroup = "relay"
	}
	return wsql.NewSubscriber(wsql.BeginnerFromPgx(pool), cfg, watermill.NopLogger{})
}

func (w watermillRun) relay(ctx context.Context, r *rig) error {
	if err := r.database(ctx); err != nil {
		return err
	}
	n := r.commands(w.slow)
	if w.slow {
		n = max(50, n/10)
	}
	if err := w.publish(ctx, r, n); err != nil {
		return err
	}
	if err := r.ready(ctx); err != nil {
		return err
	}
	to, err := newReceiver(w.slow)
	if err != nil {
		return err
	}
	defer func() { _ = to.server.Close() }()
	pool, err := r.pool(ctx, 8)
	if err != nil {
		return err
	}
	defer pool.Close()
	subscriber, err := w.subscriber(pool)
	if err != nil {
		return err
	}
	messages, err := subscriber.Subscribe(ctx, watermillTopic)
	if err != nil {
		return errors.Join(err, subscriber.Close())
	}
	err = w.send(ctx, r, messages, to.url, n)
	return errors.Join(err, subscriber.Close(), to.expect(n))
}

// publish makes the tables and fills them.
func (w watermillRun) publish(ctx context.Context, r *rig, n int) error {
	pool, err := r.pool(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	subscriber, err := w.subscriber(pool)
	if err != nil {
		return err
	}
	defer func() { _ = subscriber.Close() }()
	if err := subscriber.SubscribeInitialize(watermillTopic); err != nil {
		return err
	}
	schema, _ := w.adapters()
	publisher, err := wsql.NewPublisher(wsql.BeginnerFromPgx(pool), wsql.PublisherConfig{SchemaAdapter: schema}, watermill.NopLogger{})
	if err != nil {
		return err
	}
	defer func() { _ = publisher.Close() }()
	for left := n; left > 0; left -= min(left, 500) {
		messages := make([]*message.Message, min(left, 500))
		for i := range messages {
			messages[i] = message.NewMessage(watermill.NewUUID(), relayBody)
		}
		if err := publisher.Publish(watermillTopic, messages...); err != nil {
			return err
		}
	}
	return nil
}

// send posts each message before it takes the next one; that is how they come.
func (w watermillRun) send(ctx context.Context, r *rig, messages <-chan *message.Message, url string, n int) error {
	sender, closeIdle, err := plainSender()
	if err != nil {
		return err
	}
	defer closeIdle()
	for i := range n {
		select {
		case m := <-messages:
			if i == 0 {
				r.begin()
			}
			if o := sender.Send(ctx, outbox.Command{ID: m.UUID, To: url, Body: m.Payload}); o.Err() != nil {
				return o.Err()
			}
			m.Ack()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	r.end(n)
	return nil
}
