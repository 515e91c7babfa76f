package watermillsender

import (
	"context"
	"maps"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/idem-go/idem/runtime/outbox"
)

// The metadata of a message. The command's id is the message's UUID.
const (
	MetadataRunID = "idem_run_id" // the run that queued the command
	MetadataNode  = "idem_node"   // its node; not there for a command that was queued outside of a step
	MetadataKey   = "idem_key"    // what the table's order is kept by; not there when it keeps none
)

// message returns a command's message: the same one at every send.
func (s *Sender) message(ctx context.Context, c outbox.Command) *message.Message {
	m := message.NewMessageWithContext(ctx, c.ID, c.Body)
	if s.cfg.Metadata != nil {
		maps.Copy(m.Metadata, s.cfg.Metadata(c))
	}
	for name, value := range map[string]string{MetadataRunID: c.RunID, MetadataNode: c.Node, MetadataKey: c.Key} {
		delete(m.Metadata, name)
		if value != "" {
			m.Metadata.Set(name, value)
		}
	}
	return m
}

// PartitionKey returns what a message's partition follows from: the key that its table keeps order by, else the command's
// id, which spreads the messages. Its form is that of a partitioning marshaler of watermill-kafka.
func PartitionKey(_ string, m *message.Message) (string, error) {
	if key := m.Metadata.Get(MetadataKey); key != "" {
		return key, nil
	}
	return m.UUID, nil
}
