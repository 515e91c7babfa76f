package watermillsender_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/IBM/sarama"
	wmkafka "github.com/ThreeDotsLabs/watermill-kafka/v3/pkg/kafka"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/watermillsender"
)

const partitions = 3

// startKafka starts a broker in this process, with a topic of orders.
func startKafka(t *testing.T) (brokers []string) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()
}

// kafkaPublisher is set up as this package asks for: it waits until all replicas have the message, and its partition
// follows from the key that the outbox keeps order by.
func kafkaPublisher(t *testing.T, brokers []string) message.Publisher {
	t.Helper()
	cfg := wmkafka.DefaultSaramaSyncPublisherConfig()
	cfg.Producer.RequiredAcks = sarama.WaitForAll
	p, err := wmkafka.NewPublisher(wmkafka.PublisherConfig{
		Brokers: brokers, Marshaler: wmkafka.NewWithPartitioningMarshaler(watermillsender.PartitionKey), OverwriteSaramaConfig: cfg,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// forgetful publishes each message, and says the first time that it does not know.
type forgetful struct {
	message.Publisher
	mu   sync.Mutex
	seen map[string]int
}

func (f *forgetful) Publish(topic string, messages ...*message.Message) error {
	if err := f.Publisher.Publish(topic, messages...); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range messages {
		if f.seen[m.UUID]++; f.seen[m.UUID] == 1 {
			return errors.New("the acknowledgement got lost")
		}
	}
	return nil
}

// consumer books each command with its place in the order, by an inbox.
type consumer struct {
	b     *bench
	inbox *outbox.Inbox
}

func (c *consumer) take(m *message.Message) error {
	ctx := context.Background()
	return pgx.BeginFunc(ctx, c.b.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO received (id) VALUES ($1)`, m.UUID); err != nil {
			return err
		}
		first, err := c.inbox.Accept(ctx, tx, m.UUID, m.Payload)
		if err != nil || !first {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO booked (customer, n) VALUES ($1, $2)`, m.Metadata.Get(watermillsender.MetadataKey), string(m.Payload))
		return err
	})
}

// run takes messages until there is no more. Each one that comes the first time is taken, and handed back unacknowledged.
func (c *consumer) run(messages <-chan *message.Message) {
	handled := map[string]bool{}
	for m := range messages {
		err := c.take(m)
		if err != nil {
			c.b.Errorf("consumer: %v", err)
		}
		if err == nil && handled[m.UUID] {
			m.Ack()
			continue
		}
		handled[m.UUID] = true
		m.Nack()
	}
}

// consume starts a consumer of a group, which ends with the test.
func consume(b *bench, brokers []string) {
	b.Helper()
	inbox, err := outbox.NewInbox(b.pool, "billing", outbox.InboxConfig{})
	if err != nil {
		b.Fatal(err)
	}
	cfg := wmkafka.DefaultSaramaSubscriberConfig()
	cfg.Consumer.Offsets.Initial = sarama.OffsetOldest
	s, err := wmkafka.NewSubscriber(wmkafka.SubscriberConfig{
		Brokers: brokers, Unmarshaler: wmkafka.DefaultMarshaler{}, ConsumerGroup: "billing", OverwriteSaramaConfig: cfg, NackResendSleep: wmkafka.NoSleep,
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	messages, err := s.Subscribe(context.Background(), "orders")
	if err != nil {
		b.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() { (&consumer{b, inbox}).run(messages) })
	b.Cleanup(func() {
		_ = s.Close()
		running.Wait()
	})
}

// Every command comes three times: its acknowledgement is lost once, so that it stands in the topic twice, and the
// consumer hands its first message back. All have the command's id; each is booked once, in the order of its customer.
func TestKafkaKeepsOrderAndInboxMakesItOnce(t *testing.T) {
	t.Parallel()
	brokers := startKafka(t)
	b := newBench(t)
	b.exec(`CREATE TABLE booked (place bigint GENERATED ALWAYS AS IDENTITY, customer text, n text); CREATE TABLE received (id text)`)
	const customers, each = 4, 5
	for n := range each {
		for c := range customers {
			b.queue(fmt.Sprint(c, "/", n), Event{Topic: "orders", Customer: fmt.Sprint("customer ", c), Payload: fmt.Append(nil, n)})
		}
	}
	b.relay(newSender(t, &forgetful{Publisher: kafkaPublisher(t, brokers), seen: map[string]int{}}, watermillsender.Config{}))
	consume(b, brokers)
	b.delivered(customers * each)
	eventually(b.T, "every message has come", func() bool {
		return b.count(`SELECT count(*) FROM received`) >= 3*customers*each
	})
	if n := b.count(`SELECT count(*) FROM events WHERE attempts <> 2`); n != 0 {
		t.Errorf("%d commands were not sent twice", n)
	}
	if n := b.count(`SELECT count(*) FROM (SELECT id FROM received GROUP BY id HAVING count(*) = 3) r JOIN events ON id = command_id`); n != customers*each {
		t.Errorf("%d commands came three times under their ids, want %d", n, customers*each)
	}
	if n := b.count(`SELECT count(*) FROM booked`); n != customers*each {
		t.Errorf("%d bookings of %d commands", n, customers*each)
	}
	if n := b.count(`SELECT count(*) FROM (SELECT n::int - lag(n::int, 1, -1) OVER (PARTITION BY customer ORDER BY place) AS step FROM booked) s WHERE step <> 1`); n != 0 {
		t.Errorf("%d bookings are not in their customer's order", n)
	}
}

// A topic that is not there leaves the outcome unknown.
func TestKafkaOutcomeUnknown(t *testing.T) {
	t.Parallel()
	brokers := startKafka(t)
	c := command
	c.To = "nowhere"
	is(t, newSender(t, kafkaPublisher(t, brokers), watermillsender.Config{}).Send(context.Background(), c), "unknown")
}
