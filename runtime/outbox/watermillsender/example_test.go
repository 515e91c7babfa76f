package watermillsender_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/watermillsender"
)

// A relay sends by any publisher of Watermill; here by one that stays in the process.
func Example() {
	pubsub := gochannel.NewGoChannel(gochannel.Config{OutputChannelBuffer: 1}, watermill.NopLogger{})
	defer func() { _ = pubsub.Close() }()
	messages, err := pubsub.Subscribe(context.Background(), "orders")
	if err != nil {
		log.Fatal(err)
	}
	sender, err := watermillsender.New(pubsub, watermillsender.Config{})
	if err != nil {
		log.Fatal(err)
	}
	// A relay does this: NewOrderPlacedRelay(pool, sender, outbox.Config{}), as it is generated for the table.
	outcome := sender.Send(context.Background(), outbox.Command{ID: "cmd_1", RunID: "run_1", Node: "place_order", To: "orders", Body: []byte(`{"order":"o-1"}`)})
	fmt.Printf("%v, receipt %s\n", outcome, outcome.Receipt())

	m := <-messages
	m.Ack()
	fmt.Println(m.UUID, m.Metadata.Get(watermillsender.MetadataRunID), string(m.Payload))
	// Output:
	// confirmed, receipt {"topic":"orders"}
	// cmd_1 run_1 {"order":"o-1"}
}
