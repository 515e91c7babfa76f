package ok_freshkey_stable

import (
	"context"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
)

// A decorator of a publisher names the message, once.
func decorate(msg *message.Message) {
	msg.Metadata.Set("deduplication_id", watermill.NewUUID())
}

func publishOne(ctx context.Context, c Client, m kafka.Message) error {
	return c.Send(ctx, watermill.NewUUID(), string(m.Value))
}
