package outbox_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/kind/outbox"
)

// The names of what is generated follow from the model alone.
func ExampleOutbox() {
	o := outbox.Outbox{Type: "Webhook", Table: "webhook_outbox"}
	fmt.Println(o.QueueName(), o.RelayName(), o.BodyColumn())
	// Output: QueueWebhook NewWebhookRelay body
}
