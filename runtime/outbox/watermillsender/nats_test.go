package watermillsender_test

import (
	"context"
	"testing"
	"time"

	wmnats "github.com/ThreeDotsLabs/watermill-nats/v2/pkg/nats"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/outbox/watermillsender"
)

// startNATS starts a server with JetStream in this process, and makes a stream of orders that drops what comes again
// within window.
func startNATS(t *testing.T, window time.Duration) (url string, stream jetstream.Stream) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not come up")
	}
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err = js.CreateStream(context.Background(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}, Duplicates: window})
	if err != nil {
		t.Fatal(err)
	}
	return s.ClientURL(), stream
}

// natsPublisher is set up as this package asks for: it waits for JetStream's acknowledgement, and the command's id is the
// message's Nats-Msg-Id.
func natsPublisher(url string) (*wmnats.Publisher, error) {
	return wmnats.NewPublisher(wmnats.PublisherConfig{URL: url, JetStream: wmnats.JetStreamConfig{TrackMsgId: true}}, nil)
}

func natsSender(t *testing.T, url string) *watermillsender.Sender {
	t.Helper()
	p, err := natsPublisher(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return newSender(t, p, watermillsender.Config{})
}

func stored(t *testing.T, stream jetstream.Stream) uint64 {
	t.Helper()
	info, err := stream.Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs
}

// The same command twice is one message, with the command's bytes.
func TestJetStreamTakesACommandOnce(t *testing.T) {
	t.Parallel()
	url, stream := startNATS(t, time.Hour)
	s := natsSender(t, url)
	c := command
	c.To = "orders.placed"
	for range 2 {
		o := s.Send(context.Background(), c)
		if is(t, o, "confirmed"); string(o.Receipt()) != `{"topic":"orders.placed"}` {
			t.Errorf("the receipt is %s", o.Receipt())
		}
	}
	if n := stored(t, stream); n != 1 {
		t.Errorf("%d messages in the stream, want one", n)
	}
	m, err := stream.GetMsg(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Data) != string(c.Body) || m.Header.Get(nats.MsgIdHdr) != c.ID || m.Header.Get(watermillsender.MetadataRunID) != c.RunID ||
		m.Header.Get(watermillsender.MetadataNode) != c.Node || m.Header.Get(watermillsender.MetadataKey) != c.Key {
		t.Errorf("the message is %q with %v", m.Data, m.Header)
	}
}

// Past the deduplication window the stream has forgotten the id: what is sent again stands there twice.
func TestJetStreamForgetsPastItsWindow(t *testing.T) {
	t.Parallel()
	const window = 100 * time.Millisecond // the least that a server takes
	url, stream := startNATS(t, window)
	s := natsSender(t, url)
	c := command
	c.To = "orders.placed"
	is(t, s.Send(context.Background(), c), "confirmed")
	eventually(t, "the command stands in the stream twice", func() bool {
		time.Sleep(window)
		is(t, s.Send(context.Background(), c), "confirmed")
		return stored(t, stream) == 2
	})
}

// A subject that no stream takes leaves the outcome unknown: there may be one tomorrow.
func TestJetStreamOutcomeUnknown(t *testing.T) {
	t.Parallel()
	url, _ := startNATS(t, time.Hour)
	s := natsSender(t, url)
	c := command
	c.To = "nobody.listens"
	is(t, s.Send(context.Background(), c), "unknown")
}

// A relay dies between the send and the note of it, by SIGKILL. Another one sends again, and the stream has one message.
func TestF48_RelayDiesAfterPublishing(t *testing.T) {
	t.Parallel()
	url, stream := startNATS(t, time.Hour)
	b := newBench(t)
	b.queue("one", Event{Topic: "orders.placed", Customer: "ann", Payload: []byte(`{"order":"o-1"}`)})
	b.killRelay(url, probe.RelayAfterSend)
	if n := stored(t, stream); n != 1 {
		t.Fatalf("%d messages in the stream after the crash, want one", n)
	}
	if n := b.count(`SELECT count(*) FROM events WHERE state = 'pending' AND attempts = 1 AND receipt IS NULL`); n != 1 {
		t.Fatal("the crash came too late")
	}
	b.expire()
	b.relay(natsSender(t, url))
	b.delivered(1)
	if n := b.count(`SELECT count(*) FROM events WHERE attempts = 2`); n != 1 {
		t.Error("the command was not sent again")
	}
	if n := stored(t, stream); n != 1 {
		t.Errorf("%d messages in the stream, want one", n)
	}
	m, err := stream.GetMsg(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := b.count(`SELECT count(*) FROM events WHERE command_id = $1`, m.Header.Get(nats.MsgIdHdr)); n != 1 {
		t.Errorf("the message's id is %s", m.Header.Get(nats.MsgIdHdr))
	}
}
