package freshkey_messages

import (
	"context"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/aws/aws-lambda-go/events"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/segmentio/kafka-go"
	"github.com/vgarvardt/gue/v5"
)

type Client interface {
	Send(ctx context.Context, deduplicationID string, body []byte) error
}

type Consumer struct {
	c  Client
	js nats.JetStreamContext
}

func (c *Consumer) OnWatermill(msg *message.Message) ([]*message.Message, error) {
	out := message.NewMessage(watermill.NewUUID(), msg.Payload)
	out.Metadata.Set("dedupe_key", watermill.NewUUID()) // want `\[freshkey\]`
	return []*message.Message{out}, nil
}

func (c *Consumer) OnKafka(ctx context.Context, m kafka.Message) error {
	return c.c.Send(ctx, watermill.NewUUID(), m.Value) // want `\[freshkey\]`
}

// The loop gets the same message again when it was not committed.
func (c *Consumer) Loop(ctx context.Context, r *kafka.Reader) error {
	for {
		m, err := r.FetchMessage(ctx)
		if err != nil {
			return err
		}
		if err := c.c.Send(ctx, watermill.NewUUID(), m.Value); err != nil { // want `\[freshkey\]`
			return err
		}
		if err := r.CommitMessages(ctx, m); err != nil {
			return err
		}
	}
}

func (c *Consumer) OnSQS(ctx context.Context, ev events.SQSEvent) error {
	for _, rec := range ev.Records {
		if _, err := c.js.Publish("audit", []byte(rec.Body), nats.MsgId(watermill.NewUUID())); err != nil { // want `\[freshkey\]`
			return err
		}
	}
	return nil
}

func (c *Consumer) OnNATS(m jetstream.Msg) {
	_ = c.c.Send(context.Background(), watermill.NewUUID(), m.Data()) // want `\[freshkey\]`
}

var work = gue.WorkMap{
	"mail": func(ctx context.Context, j *gue.Job) error {
		return client.Send(ctx, watermill.NewUUID(), j.Args) // want `\[freshkey\]`
	},
}

var client Client
